import type { Sql } from '@/db/connect';
import type { Transactions } from '@/db/transactions';
import type { HistoryPool } from '@/server/history/history-pool';

/** What the routes about incidents work with. */
export interface IncidentContext {
  readonly sql: Sql;
  readonly transactions: Transactions;
  readonly pool: HistoryPool;
  readonly now: () => number;
}
