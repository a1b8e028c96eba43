import { useEffect } from 'react';
import { useLive } from '@/components/live/live-provider';
import { isInLayer } from '@/components/ui/is-in-layer';
import { isTyping } from '@/components/ui/is-typing';

/** `L` pauses and goes on. Never while typing, nor as the letter of a place. */
export function useLiveKey(): void {
  const { isPaused, setPaused } = useLive();
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'l' || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      if (!isTyping(event) && !isInLayer(event)) setPaused(!isPaused);
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [isPaused, setPaused]);
}
