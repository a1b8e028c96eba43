import type { ReactNode } from 'react';
import css from '@/components/table/record-table.module.css';

interface SkimmedRowProps {
  readonly index: number;
  readonly columnCount: number;
  /** Where one is in the list: the first cell. */
  readonly children: ReactNode;
}

/** A row of a list that moves too fast to be read: where one is, and that there is more. */
export function SkimmedRow({ index, columnCount, children }: SkimmedRowProps) {
  return (
    <tr className={css['skimmed']} aria-rowindex={index + 2} data-skimmed>
      <td>{children}</td>
      <td colSpan={columnCount - 1} />
    </tr>
  );
}
