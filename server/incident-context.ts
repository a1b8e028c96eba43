import type { Sql } from '@/db/connect';
import type { Transactions } from '@/db/transactions';
import type { ReplayTarget } from '@/lib/config/config';
import type { IncidentDesk } from '@/lib/store/incident-desk';
import type { HistoryPool } from '@/server/history/history-pool';

/** What the routes about incidents work with. */
export interface IncidentContext {
  readonly sql: Sql;
  readonly transactions: Transactions;
  readonly desk: IncidentDesk;
  readonly pool: HistoryPool;
  /** Where incidents may be done again. */
  readonly replayTargets: readonly ReplayTarget[];
  readonly now: () => number;
  /** Looks at the incidents soon: there is evidence to take, to pin or to audit. */
  readonly wake: () => void;
}
