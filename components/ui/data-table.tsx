import type { ReactNode } from 'react';
import css from '@/components/ui/data-table.module.css';
import { Scroller } from '@/components/ui/scroller';

interface DataTableProps {
  readonly label: string;
  readonly heads: readonly string[];
  readonly rows: readonly { readonly key: string; readonly cells: readonly ReactNode[] }[];
  readonly empty: string;
}

/** The table twin of a chart: the same numbers, first column a name, the others right-aligned. */
export function DataTable({ label, heads, rows, empty }: DataTableProps) {
  if (rows.length === 0) return <p className={css['none']}>{empty}</p>;
  return (
    <Scroller className={css['scroll']} label={`${label}, table`}>
      <table className={css['table']}>
        <thead>
          <tr>
            {heads.map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.key}>
              {row.cells.map((cell, index) => (
                <td key={heads[index]}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Scroller>
  );
}
