import type { DatabaseAddress } from '@/db/connect';
import type { DatabasePools } from '@/db/pools';
import type { ReplayTarget } from '@/lib/config/config';
import { Loop } from '@/lib/delivery/loop';
import type { Route } from '@/lib/http/route';
import { IncidentDesk } from '@/lib/store/incident-desk';
import type { RecordToStore } from '@/lib/store/record-to-store';
import { SessionRefs } from '@/lib/store/session-ref';
import { incidentActionRoutes } from '@/server/api/incident-action-routes';
import { incidentRoutes } from '@/server/api/incident-routes';
import { replayRoutes } from '@/server/api/replay-routes';
import { whatIfRoutes } from '@/server/api/what-if-routes';
import { HistoryPool } from '@/server/history/history-pool';
import { IncidentAuditor } from '@/server/incident-auditor';
import type { IncidentContext } from '@/server/incident-context';

export interface IncidentParts {
  readonly database: DatabaseAddress;
  readonly pools: DatabasePools;
  readonly secret: Uint8Array;
  readonly replayTargets?: readonly ReplayTarget[];
  readonly now: () => number;
  /** Resolves when sessions' counts know of everything that was stored before. */
  readonly settled: () => Promise<void>;
  readonly log: (level: 'warn' | 'error', message: string, fields?: Readonly<Record<string, unknown>>) => void;
}

export interface Incidents {
  /** Threads for work over whole histories. */
  readonly pool: HistoryPool;
  readonly routes: readonly Route[];
  /** Told of every commit of the intake. */
  readonly noteStored: (records: readonly RecordToStore[]) => void;
  readonly close: () => Promise<void>;
}

const CONNECTIONS = 2;
const LOOK_EVERY_MS = 5_000;
/** Woken, incidents are looked at most this often. */
const LOOK_SPACING_MS = 500;
/** In a storm every look copies on from where the last one stopped, and folds: the intake must not wait for many of them. */
const LOOK_SHARE = 0.1;
/** A look that starts threads takes seconds; what it would be paused for after that, people would wait for. */
const LOOK_PAUSE_MS_MAX = 10_000;
/** Transactions of one look: the rest waits for the next one. */
const STEPS_PER_LOOK = 50;

/** Opens everything about incidents: detection, the API, and the threads that work over whole histories. */
export function openIncidents({ database, pools, secret, replayTargets = [], now, settled, log }: IncidentParts): Incidents {
  const sql = pools.statements(CONNECTIONS, 'incident answers');
  const transactions = pools.transactions(CONNECTIONS, 'incidents');
  const pool = new HistoryPool({ database, secret });
  const refs = new SessionRefs(secret);
  const desk = new IncidentDesk(transactions, (server) => refs.unnamedOf(server));
  const auditor = new IncidentAuditor(sql, pool);
  const look = new Loop({
    run: async () => {
      const isMore = await repeat(() => desk.advance(now()));
      await settled();
      const isMoreToPin = await repeat(() => desk.pin());
      await auditor.auditStale();
      if (isMore || isMoreToPin) look.wake();
    },
    intervalMs: LOOK_EVERY_MS,
    spacingMs: LOOK_SPACING_MS,
    busyShare: LOOK_SHARE,
    pauseMaxMs: LOOK_PAUSE_MS_MAX,
    onError: (cause) => log('warn', 'incidents could not be looked at; their evidence is kept', { cause }),
  });
  const context: IncidentContext = { sql, transactions, desk, pool, replayTargets, now, wake: () => look.wake() };
  return {
    pool,
    routes: [...incidentRoutes(context), ...incidentActionRoutes(context), ...whatIfRoutes(context), ...replayRoutes(context)],
    noteStored: (records) => {
      if (records.some(({ attempt }) => attempt?.assessment === 'unsafe_resume')) look.wake();
    },
    close: async () => {
      await look.close();
      await pool.close();
      await Promise.all([transactions.close(), sql.end({ timeout: 5 })]);
    },
  };
}

/** Runs a step until it says that all is done; true when it never did within a look. */
async function repeat(step: () => Promise<boolean>): Promise<boolean> {
  for (let steps = 0; steps < STEPS_PER_LOOK; steps++) if (!(await step())) return false;
  return true;
}
