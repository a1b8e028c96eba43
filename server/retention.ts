import type { Sql } from '@/db/connect';
import type { Transactions } from '@/db/transactions';
import { oldestKeptMs, RETENTION_DEFAULT, type Retention } from '@/lib/config/retention';
import { Loop } from '@/lib/delivery/loop';
import { applyRetention, type Removed } from '@/lib/store/apply-retention';
import { storedRetention, storeRetention } from '@/lib/store/retention';

export interface RetentionParts {
  readonly sql: Sql;
  readonly transactions: Transactions;
  /** Of the configuration file; null when it has none. */
  readonly configured: Retention | null;
  readonly now: () => number;
  /** Makes the day partitions of the coming days. */
  readonly prepareDays: (nowMs: number) => Promise<void>;
  readonly log: (level: 'info' | 'warn', message: string, fields?: Readonly<Record<string, unknown>>) => void;
}

export interface RetentionService {
  /** What holds now, and who said so. */
  readonly current: () => { readonly retention: Retention; readonly origin: 'config' | 'api' | 'default' };
  /** Records that lie before are not taken: their day is gone. */
  readonly oldestMs: () => number;
  /** Takes effect at once: what is older is removed in the background. */
  readonly change: (to: Retention, actor: string) => Promise<void>;
  readonly close: () => Promise<void>;
}

const RUN_EVERY_MS = 600_000;

/** Opens the keeping of days: those to come are made ahead, those that are over are dropped. */
export async function openRetention(parts: RetentionParts): Promise<RetentionService> {
  const { sql, transactions, configured, now, log } = parts;
  await parts.prepareDays(now());
  let stored = await storedRetention(sql);
  let aheadMs = 0;
  const current = (): ReturnType<RetentionService['current']> => {
    if (configured !== null) return { retention: configured, origin: 'config' };
    return stored === null ? { retention: RETENTION_DEFAULT, origin: 'default' } : { retention: stored, origin: 'api' };
  };
  const keep = new Loop({
    run: async () => {
      await parts.prepareDays(now());
      stored = await storedRetention(sql);
      const removed = await applyRetention(transactions, current().retention, now());
      aheadMs = removed.clockAheadMs;
      tell(log, removed);
    },
    intervalMs: RUN_EVERY_MS,
    spacingMs: 1_000,
    onError: (cause) => log('warn', 'retention could not be applied; it is tried again', { cause }),
  });
  return {
    current,
    // By the earlier clock: what is refused is not sent again.
    oldestMs: () => oldestKeptMs(current().retention.recordsDays, now() - Math.max(0, aheadMs)),
    change: async (to, actor) => {
      await storeRetention(transactions, current().retention, to, { actor, atMs: now() });
      stored = to;
      keep.wake();
    },
    close: () => keep.close(),
  };
}

function tell(log: RetentionParts['log'], { clockAheadMs, areClocksApart, kept, hasRun: _, ...removed }: Removed): void {
  if (areClocksApart) {
    log('warn', 'nothing is removed: the clocks of this process and of the database are too far apart', {
      code: 'retention_clocks_differ',
      ahead_s: Math.round(clockAheadMs / 1000),
      next_step: 'set the clock that is wrong; until then rows are kept for longer',
    });
  }
  for (const { name, cause } of kept) {
    log('warn', 'something that is too old could not be removed; it is tried again', {
      code: 'retention_incomplete',
      name,
      next_step: 'end what holds the table for long, such as a dump; otherwise see the cause',
      cause,
    });
  }
  if (removed.rows + removed.rollupRows > 0) log('info', 'rows beyond their retention were removed', removed);
}
