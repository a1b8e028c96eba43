import type { Sql } from '@/db/connect';
import type { Transactions } from '@/db/transactions';
import type { Retention } from '@/lib/config/retention';
import { logChange } from '@/lib/store/change-log';

/** Row of `installation`. */
const KEY = 'retention';

/** The retention made over the API; null when there is none. */
export async function storedRetention(sql: Sql): Promise<Retention | null> {
  const [row] = await sql<{ value: string }[]>`select value from installation where key = ${KEY}`;
  // Written by `storeRetention` and by nothing else.
  return row === undefined ? null : (JSON.parse(row.value) as Retention);
}

/** Keeps a retention made over the API, with its entry in the change log. */
export async function storeRetention(
  transactions: Transactions,
  from: Retention,
  to: Retention,
  change: { readonly actor: string; readonly atMs: number },
): Promise<void> {
  await transactions.run(async (tx) => {
    await tx.query('insert into installation (key, value) values ($1, $2) on conflict (key) do update set value = excluded.value', [
      KEY,
      JSON.stringify(to),
    ]);
    await logChange(tx, { ...change, action: 'retention.changed', subject: KEY, before: daysOf(from), after: daysOf(to) });
  });
}

const daysOf = ({ recordsDays, rollupsDays }: Retention) => ({ records_days: recordsDays, rollups_days: rollupsDays });
