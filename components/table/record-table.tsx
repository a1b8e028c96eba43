'use client';

import { type Cell, type ColumnDef, flexRender, getCoreRowModel, useReactTable } from '@tanstack/react-table';
import { useVirtualizer } from '@tanstack/react-virtual';
import { memo, type RefObject, useEffect, useMemo } from 'react';
import css from '@/components/table/record-table.module.css';
import { cx } from '@/components/ui/cx';

const ROW_PX = 28;
const TOUCH_ROW_PX = 44;
/** The head stays in sight over the rows. */
const HEAD_PX = 64;
const PHONE = '(max-width: 639px)';
/** Rows from the end at which the next page is asked for. */
const AHEAD = 60;

/** How a column is set: classes of its cells; those of `record-table.module.css` leave it out on narrow screens. */
interface ColumnLook {
  readonly className: string;
}

declare module '@tanstack/react-table' {
  interface ColumnMeta<TData, TValue> extends ColumnLook {
    readonly data?: TData;
    readonly value?: TValue;
  }
}

/** Classes that set a column. */
export const columnLook = (...names: readonly (string | undefined)[]): ColumnLook => ({ className: cx(...names) });

export interface RecordTableProps<T> {
  readonly label: string;
  readonly rows: readonly T[];
  readonly columns: ColumnDef<T>[];
  readonly idOf: (row: T) => string;
  /** Columns that are shown, by id; null shows those that the screen has room for. */
  readonly shown: readonly string[] | null;
  /** Id of the row that the keyboard is on. */
  readonly current: string | null;
  readonly selected: ReadonlySet<string>;
  readonly onOpen: (id: string) => void;
  readonly onNearEnd: () => void;
  readonly scroll: RefObject<HTMLDivElement | null>;
  readonly total: number | null;
}

/** A list of records: only the rows in sight are in the page, however long it is. */
export function RecordTable<T>({ label, rows: data, columns, idOf, shown: chosen, total, scroll, ...rest }: RecordTableProps<T>) {
  const { current, selected, onOpen, onNearEnd } = rest;
  // The cells of a row are kept as long as this stays the same object.
  const columnVisibility = useMemo(() => visibilityOf(columns, chosen), [columns, chosen]);
  const table = useReactTable({
    data: data as T[],
    columns,
    getCoreRowModel: getCoreRowModel(),
    getRowId: idOf,
    state: { columnVisibility },
  });
  const { rows } = table.getRowModel();
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroll.current,
    estimateSize: () => (matchMedia(PHONE).matches ? TOUCH_ROW_PX : ROW_PX),
    overscan: 10,
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
    <table className={cx(css['table'], chosen !== null && css['chosen'])} aria-rowcount={total ?? rows.length} aria-label={label}>
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
            <RecordRow
              key={row.id}
              id={row.id}
              cells={row.getVisibleCells()}
              index={item.index}
              isCurrent={row.id === current}
              isSelected={selected.has(row.id)}
              onOpen={onOpen}
            />
          );
        })}
        <Space px={last === undefined ? 0 : virtual.getTotalSize() - last.end} />
      </tbody>
    </table>
  );
}

interface RecordRowProps<T> {
  readonly id: string;
  readonly cells: readonly Cell<T, unknown>[];
  readonly index: number;
  readonly isCurrent: boolean;
  readonly isSelected: boolean;
  readonly onOpen: (id: string) => void;
}

function DrawnRow<T>({ id, cells: [first, ...cells], index, isCurrent, isSelected, onOpen }: RecordRowProps<T>) {
  if (first === undefined) return null;
  return (
    <tr
      className={css['row']}
      aria-rowindex={index + 2}
      aria-current={isCurrent}
      aria-selected={isSelected}
      data-id={id}
      onClick={() => onOpen(id)}
    >
      <td>
        <button type="button" className={css['time']} tabIndex={isCurrent ? 0 : -1}>
          {flexRender(first.column.columnDef.cell, first.getContext())}
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

/** Drawn once while it is in sight, however the list moves. The cast gives back the type parameter, which `memo` loses. */
const RecordRow = memo(DrawnRow) as typeof DrawnRow;

/** Stands for the rows that are out of sight. */
function Space({ px }: { readonly px: number }) {
  if (px <= 0) return null;
  return (
    <tr className={css['space']}>
      <td style={{ height: px }} />
    </tr>
  );
}

function visibilityOf<T>(columns: ColumnDef<T>[], chosen: readonly string[] | null): Record<string, boolean> {
  if (chosen === null) return {};
  return Object.fromEntries(columns.slice(1).map((column) => [columnId(column), chosen.includes(columnId(column))]));
}

/** The id of a column: its own, or the member that it shows. */
export function columnId<T>(column: ColumnDef<T>): string {
  return column.id ?? ('accessorKey' in column ? String(column.accessorKey) : '');
}
