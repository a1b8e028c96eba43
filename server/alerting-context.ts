import type { Sql } from '@/db/connect';
import type { Transactions } from '@/db/transactions';
import type { Inhibition } from '@/lib/alerting/silence';
import type { AckTokens } from '@/lib/delivery/ack-token';
import type { AlertRegistry } from '@/lib/delivery/alert-registry';
import type { Composer } from '@/lib/delivery/compose';
import type { PostgresMeasures } from '@/lib/query/alerting-measures';
import type { AlertSetup } from '@/lib/store/alerting-admin';

/** What the routes work with. */
export interface AlertingContext {
  readonly sql: Sql;
  readonly transactions: Transactions;
  readonly setup: AlertSetup;
  readonly registry: AlertRegistry;
  readonly inhibitions: readonly Inhibition[];
  readonly measures: PostgresMeasures;
  readonly composer: Composer;
  readonly tokens: AckTokens;
  readonly now: () => number;
  /** Sends what is due now. */
  readonly wakeWorker: () => void;
  readonly wakeEvaluator: () => void;
}
