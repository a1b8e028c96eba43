import type { ReactNode } from 'react';
import css from '@/components/settings/settings.module.css';
import { Scroller } from '@/components/ui/scroller';

interface Head {
  readonly text: string;
  /** `wide`: not on a phone. `right`: where the actions are. */
  readonly look?: 'wide' | 'right';
}

interface SettingsTableProps {
  /** What its rows are, in the plural. */
  readonly label: string;
  readonly heads: readonly Head[];
  /** Rows. */
  readonly children: ReactNode;
}

/** A table of the settings: one thing in each row, and at its end what can be done with it. */
export function SettingsTable({ label, heads, children }: SettingsTableProps) {
  return (
    <Scroller label={`${label}, table`} className={css['scroll']}>
      <table className={css['table']}>
        <thead>
          <tr>
            {heads.map(({ text, look }) => (
              <th key={text} scope="col" className={look && css[look]}>
                {text}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </Scroller>
  );
}
