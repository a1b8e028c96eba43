'use client';

import { flexRender, getCoreRowModel, type Row, useReactTable } from '@tanstack/react-table';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type RefObject, useEffect } from 'react';
import type { Attempt } from '@/components/api/attempt';
import { ATTEMPT_COLUMNS } from '@/components/attempts/attempt-columns';
import css from '@/components/attempts/attempts-table.module.css';
import { cx } from '@/components/ui/cx';

const ROW_PX = 28;
const TOUCH_ROW_PX = 44;
/** The head stays in sight over the rows. */
const HEAD_PX = 64;
const PHONE = '(max-width: 639px)';
/** Rows from the end at which the next page is asked for. */
const AHEAD = 60;

interface AttemptsTableProps {
  readonly attempts: readonly Attempt[];
  /** Id of the row that the keyboard is on. */
  readonly current: string | null;
  readonly onOpen: (id: string) => void;
  readonly onNearEnd: () => void;
  readonly scroll: RefObject<HTMLDivElement | null>;
  readonly total: number | null;
}

/** The list of attempts: only the rows in sight are in the page, however long it is. */
export function AttemptsTable({ attempts, current, onOpen, onNearEnd, scroll, total }: AttemptsTableProps) {
  const table = useReactTable({
    data: attempts as Attempt[],
    columns: ATTEMPT_COLUMNS,
    getCoreRowModel: getCoreRowModel(),
    getRowId: (one) => one.id,
  });
  const { rows } = table.getRowModel();
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroll.current,
    estimateSize: () => (matchMedia(PHONE).matches ? TOUCH_ROW_PX : ROW_PX),
    overscan: 20,
    scrollPaddingStart: HEAD_PX,
    scrollPaddingEnd: HEAD_PX,
    initialRect: { width: 0, height: 900 },
  });
  const shown = virtual.getVirtualItems();
  const [first, last] = [shown[0], shown.at(-1)];
  const isNearEnd = last !== undefined && last.index > rows.length - AHEAD;

  useEffect(() => {
    if (isNearEnd) onNearEnd();
  }, [isNearEnd, onNearEnd]);
  const currentIndex = current === null ? -1 : rows.findIndex((row) => row.id === current);
  useEffect(() => {
    if (currentIndex >= 0) virtual.scrollToIndex(currentIndex, { align: 'auto' });
  }, [currentIndex, virtual]);

  return (
    <table className={css['table']} aria-rowcount={total ?? rows.length} aria-label="Attempts">
      <thead>
        {table.getHeaderGroups().map((group) => (
          <tr key={group.id}>
            {group.headers.map((header) => (
              <th key={header.id} scope="col" className={header.column.columnDef.meta?.className}>
                {flexRender(header.column.columnDef.header, header.getContext())}
              </th>
            ))}
          </tr>
        ))}
      </thead>
      <tbody>
        <Space px={first?.start ?? 0} />
        {shown.map((item) => {
          const row = rows[item.index];
          return row === undefined ? null : (
            <AttemptRow key={row.id} row={row} index={item.index} isCurrent={row.id === current} onOpen={onOpen} />
          );
        })}
        <Space px={last === undefined ? 0 : virtual.getTotalSize() - last.end} />
      </tbody>
    </table>
  );
}

interface AttemptRowProps {
  readonly row: Row<Attempt>;
  readonly index: number;
  readonly isCurrent: boolean;
  readonly onOpen: (id: string) => void;
}

function AttemptRow({ row, index, isCurrent, onOpen }: AttemptRowProps) {
  const [time, ...cells] = row.getVisibleCells();
  if (time === undefined) return null;
  return (
    <tr className={css['row']} aria-rowindex={index + 2} aria-current={isCurrent} data-id={row.id} onClick={() => onOpen(row.id)}>
      <td>
        <button type="button" className={css['time']} tabIndex={isCurrent ? 0 : -1}>
          {flexRender(time.column.columnDef.cell, time.getContext())}
        </button>
      </td>
      {cells.map((cell) => (
        <td key={cell.id} className={cx(cell.column.columnDef.meta?.className)}>
          {flexRender(cell.column.columnDef.cell, cell.getContext())}
        </td>
      ))}
    </tr>
  );
}

/** Stands for the rows that are out of sight. */
function Space({ px }: { readonly px: number }) {
  if (px <= 0) return null;
  return (
    <tr className={css['space']}>
      <td style={{ height: px }} />
    </tr>
  );
}
