import { useLayoutEffect } from 'react';
import { isInLayer } from '@/components/ui/is-in-layer';
import { isTyping } from '@/components/ui/is-typing';

export interface RowKeys {
  readonly onMove: (by: 1 | -1) => void;
  readonly onOpen: () => void;
  readonly onClose: () => void;
  readonly onSelect?: () => void;
}

/** `J` and `K` move, `Enter` opens, `Esc` closes, `X` selects. Never while typing, nor where a control has the key itself. */
export function useRowKeys({ onMove, onOpen, onClose, onSelect }: RowKeys): void {
  // Before paint, so that a key struck at what is seen never meets the handlers of what was there before.
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isInLayer(event)) return;
      if (event.key === 'Escape') onClose();
      else if (!isTyping(event)) actOn(event);
    };
    const actOn = (event: KeyboardEvent) => {
      if (event.key === 'j') onMove(1);
      else if (event.key === 'k') onMove(-1);
      else if (event.key === 'x') onSelect?.();
      else if (event.key === 'Enter' && !isOnControl(event)) onOpen();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [onMove, onOpen, onClose, onSelect]);
}

/** A row's own button opens that row, as `Enter` does for the row that the keyboard is on. */
function isOnControl({ target }: KeyboardEvent): boolean {
  return target instanceof Element && target.closest('a, button, label, summary') !== null;
}
