import { useLayoutEffect } from 'react';
import { isTyping } from '@/components/ui/is-typing';

export interface RowKeys {
  readonly onMove: (by: 1 | -1) => void;
  readonly onOpen: () => void;
  readonly onClose: () => void;
}

/** `J` and `K` move, `Enter` opens, `Esc` closes. Never while typing, nor where a control has the key itself. */
export function useRowKeys({ onMove, onOpen, onClose }: RowKeys): void {
  // Before paint, so that a key struck at what is seen never meets the handlers of what was there before.
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      if (event.key === 'Escape') {
        if (!isInPopover(event)) onClose();
      } else if (!isTyping(event)) actOn(event);
    };
    const actOn = (event: KeyboardEvent) => {
      if (event.key === 'j') onMove(1);
      else if (event.key === 'k') onMove(-1);
      else if (event.key === 'Enter' && !isOnControl(event)) onOpen();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [onMove, onOpen, onClose]);
}

function isOnControl({ target }: KeyboardEvent): boolean {
  return target instanceof Element && target.closest('a, button, label, summary') !== null;
}

function isInPopover({ target }: KeyboardEvent): boolean {
  return target instanceof Element && target.closest('[data-radix-popper-content-wrapper]') !== null;
}
