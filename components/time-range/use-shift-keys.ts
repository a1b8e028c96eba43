import { useEffect } from 'react';
import { shiftedRange, type TimeRange } from '@/components/time-range/time-range';
import { isInLayer } from '@/components/ui/is-in-layer';
import { isTyping } from '@/components/ui/is-typing';

/** `[` and `]` look at the stretch before and after. Never while typing. */
export function useShiftKeys(range: TimeRange, setRange: (range: TimeRange) => void): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event) || isInLayer(event)) return;
      if (event.key === '[') setRange(shiftedRange(range, -1, Date.now()));
      else if (event.key === ']') setRange(shiftedRange(range, 1, Date.now()));
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [range, setRange]);
}
