import { createRow, type Row, type Table } from '@tanstack/react-table';
import { useCallback, useState } from 'react';

/**
 * The table's row of a record, made when it first comes into sight and kept as long as the record is: however long a
 * list is, another page costs nothing for the rows that nobody looks at.
 */
export function useDrawnRows<T extends object>(table: Table<T>, idOf: (record: T) => string): (record: T, index: number) => Row<T> {
  const [rows] = useState(() => new WeakMap<T, Row<T>>());
  return useCallback(
    (record, index) => {
      const row = rows.get(record) ?? createRow(table, idOf(record), record, index, 0);
      rows.set(record, row);
      return row;
    },
    [rows, table, idOf],
  );
}
