import type { Virtualizer } from '@tanstack/react-virtual';
import { type RefObject, useCallback, useRef, useState } from 'react';
import { AT_REST, type Motion, movedTo } from '@/components/table/skimming';

interface ColumnWidth {
  readonly column: number;
  readonly px: number;
}

export interface Skimming {
  /** Widths of the columns as they were when the list began to move too fast to be read; null while it can be read. */
  readonly widths: readonly ColumnWidth[] | null;
  readonly onScrolled: (list: Virtualizer<HTMLDivElement, Element>) => void;
}

/** Whether a list moves too fast to be read. State changes when that does, not with every step. */
export function useSkimming(head: RefObject<HTMLTableRowElement | null>): Skimming {
  const motion = useRef<Motion>(AT_REST);
  const [widths, setWidths] = useState<readonly ColumnWidth[] | null>(null);
  const onScrolled = useCallback(
    ({ scrollOffset, scrollRect, isScrolling }: Virtualizer<HTMLDivElement, Element>) => {
      const before = motion.current;
      motion.current = movedTo(before, scrollOffset ?? 0, scrollRect?.height ?? 0, isScrolling);
      if (motion.current.isSkimming === before.isSkimming) return;
      setWidths(motion.current.isSkimming ? widthsOf(head.current) : null);
    },
    [head],
  );
  return { widths, onScrolled };
}

/** Columns that the screen leaves out have no width, and take no place. */
function widthsOf(head: HTMLTableRowElement | null): ColumnWidth[] {
  return [...(head?.cells ?? [])]
    .map((cell) => ({ column: cell.cellIndex, px: cell.getBoundingClientRect().width }))
    .filter(({ px }) => px > 0);
}
