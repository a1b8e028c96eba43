'use client';

import { type Cell, type ColumnDef, flexRender, getCoreRowModel, type Table, useReactTable } from '@tanstack/react-table';
import { useVirtualizer } from '@tanstack/react-virtual';
import { memo, type RefObject, useEffect, useMemo, useRef } from 'react';
import css from '@/components/table/record-table.module.css';
import { SkimmedRow } from '@/components/table/skimmed-row';
import { useDrawnRows } from '@/components/table/use-drawn-rows';
import { useSkimming } from '@/components/table/use-skimming';
import { cx } from '@/components/ui/cx';

const ROW_PX = 28;
const TOUCH_ROW_PX = 44;
/** The head stays in sight over the rows. */
const HEAD_PX = 64;
const PHONE = '(max-width: 639px)';
/** Rows from the end at which the next page is asked for. */
const AHEAD = 60;
/** Rows are made as they come into sight; the table itself knows columns only. */
const NO_ROWS: never[] = [];

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
export function RecordTable<T extends object>({ label, rows, columns, idOf, shown: chosen, total, scroll, ...rest }: RecordTableProps<T>) {
  const { current, selected, onOpen, onNearEnd } = rest;
  // The cells of a row are kept as long as this stays the same object.
  const columnVisibility = useMemo(() => visibilityOf(columns, chosen), [columns, chosen]);
  const table = useReactTable<T>({ data: NO_ROWS, columns, getCoreRowModel: getCoreRowModel(), state: { columnVisibility } });
  const columnCount = table.getVisibleLeafColumns().length;
  const rowOf = useDrawnRows(table, idOf);
  const head = useRef<HTMLTableRowElement>(null);
  const { widths, onScrolled } = useSkimming(head);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroll.current,
    estimateSize: () => (matchMedia(PHONE).matches ? TOUCH_ROW_PX : ROW_PX),
    overscan: 10,
    scrollPaddingStart: HEAD_PX,
    scrollPaddingEnd: HEAD_PX,
    initialRect: { width: 0, height: 900 },
    onChange: onScrolled,
  });
  const shown = virtual.getVirtualItems();
  const [first, last] = [shown[0], shown.at(-1)];
  const isNearEnd = last !== undefined && last.index > rows.length - AHEAD;

  useEffect(() => {
    if (isNearEnd) onNearEnd();
  }, [isNearEnd, onNearEnd]);
  const currentIndex = useMemo(() => (current === null ? -1 : rows.findIndex((row) => idOf(row) === current)), [current, rows, idOf]);
  useEffect(() => {
    if (currentIndex >= 0) virtual.scrollToIndex(currentIndex, { align: 'auto' });
  }, [currentIndex, virtual]);

  return (
    <table
      className={cx(css['table'], chosen !== null && css['chosen'])}
      style={widths === null ? undefined : { tableLayout: 'fixed', width: widths.reduce((sum, { px }) => sum + px, 0) }}
      aria-rowcount={total ?? rows.length}
      aria-label={label}
    >
      {widths !== null && (
        <colgroup>
          {widths.map(({ column, px }) => (
            <col key={column} style={{ width: px }} />
          ))}
        </colgroup>
      )}
      <Head table={table} row={head} />
      <tbody>
        <Space px={first?.start ?? 0} columnCount={columnCount} />
        {shown.map((item) => {
          const record = rows[item.index];
          if (record === undefined) return null;
          const row = rowOf(record, item.index);
          const cells = row.getVisibleCells();
          return widths === null ? (
            <RecordRow
              key={row.id}
              id={row.id}
              cells={cells}
              index={item.index}
              isCurrent={row.id === current}
              isSelected={selected.has(row.id)}
              onOpen={onOpen}
            />
          ) : (
            // By its place in sight: the rows that are skimmed stay, only what they say changes.
            <SkimmedRow key={item.index - (first?.index ?? 0)} index={item.index} columnCount={widths.length}>
              {cells[0] !== undefined && flexRender(cells[0].column.columnDef.cell, cells[0].getContext())}
            </SkimmedRow>
          );
        })}
        <Space px={last === undefined ? 0 : virtual.getTotalSize() - last.end} columnCount={columnCount} />
      </tbody>
    </table>
  );
}

interface HeadProps<T> {
  readonly table: Table<T>;
  readonly row: RefObject<HTMLTableRowElement | null>;
}

function Head<T>({ table, row }: HeadProps<T>) {
  return (
    <thead>
      {table.getHeaderGroups().map((group) => (
        <tr key={group.id} ref={row}>
          {group.headers.map((header) => (
            <th key={header.id} scope="col" className={header.column.columnDef.meta?.className}>
              {flexRender(header.column.columnDef.header, header.getContext())}
            </th>
          ))}
        </tr>
      ))}
    </thead>
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

interface SpaceProps {
  readonly px: number;
  readonly columnCount: number;
}

/** Stands for the rows that are out of sight, and looks like them: a list can be moved faster than rows are drawn. */
function Space({ px, columnCount }: SpaceProps) {
  if (px <= 0) return null;
  return (
    <tr className={css['space']}>
      <td colSpan={columnCount} style={{ height: px }} />
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
