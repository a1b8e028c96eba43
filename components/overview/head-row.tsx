import css from '@/components/overview/servers-table.module.css';
import { cx } from '@/components/ui/cx';

/** One column: how its head reads, which way its cells lean, and whether it shows only where there is room. */
export interface HeadCell {
  readonly label: string;
  readonly isNumber?: boolean;
  readonly isWide?: boolean;
  readonly title?: string;
}

/** The head of a table of servers, routes or sessions. `children` follow its cells, such as the place above a button. */
export function HeadRow({ cells, children }: { readonly cells: readonly HeadCell[]; readonly children?: React.ReactNode }) {
  return (
    <thead>
      <tr>
        {cells.map(({ label, isNumber, isWide, title }) => (
          <th key={label} scope="col" className={cx(isNumber && css['right'], isWide && css['wide'])} title={title}>
            {label}
          </th>
        ))}
        {children}
      </tr>
    </thead>
  );
}
