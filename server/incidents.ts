import { connectDatabase, type DatabaseAddress } from '@/db/connect';
import { Transactions } from '@/db/transactions';
import type { Route } from '@/lib/http/route';
import { incidentRoutes } from '@/server/api/incident-routes';
import { HistoryPool } from '@/server/history/history-pool';
import type { IncidentContext } from '@/server/incident-context';

export interface IncidentParts {
  readonly database: DatabaseAddress;
  readonly secret: Uint8Array;
  readonly now: () => number;
  readonly log: (level: 'warn' | 'error', message: string, fields?: Readonly<Record<string, unknown>>) => void;
}

export interface Incidents {
  readonly routes: readonly Route[];
  readonly close: () => Promise<void>;
}

const CONNECTIONS = 2;

/** Opens everything about incidents: detection, the API, and the threads that work over whole histories. */
export function openIncidents({ database, secret, now }: IncidentParts): Incidents {
  const sql = connectDatabase(database, CONNECTIONS, 'incidents');
  const transactions = new Transactions(database, CONNECTIONS, 'incidents');
  const pool = new HistoryPool({ database, secret });
  const context: IncidentContext = { sql, transactions, pool, now };
  return {
    routes: incidentRoutes(context),
    close: async () => {
      await pool.close();
      await Promise.all([transactions.close(), sql.end({ timeout: 5 })]);
    },
  };
}
