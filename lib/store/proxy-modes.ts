import type { Sql } from '@/db/connect';
import type { Transactions } from '@/db/transactions';
import { logChange } from '@/lib/store/change-log';

/** What can be switched of a route at run time. */
export interface RouteSetting {
  readonly mode: string;
  /** Share of sessions, in percent, that `canary` enforces on. */
  readonly canaryPercent: number;
}

/** A switch of a route. */
export interface ModeSwitch {
  readonly route: string;
  readonly from: RouteSetting;
  readonly to: RouteSetting;
  /** Whether `to` is what the configuration says, so that nothing has to stand over it. */
  readonly isConfigured: boolean;
  readonly actor: string;
  readonly action: 'proxy.mode_switched' | 'proxy.breaker_tripped';
  readonly atMs: number;
}

/** A kept switch; a share of null is the configured one. */
export interface KeptSetting {
  readonly mode: string;
  readonly canaryPercent: number | null;
}

interface ModeRow {
  readonly route: string;
  readonly mode: string;
  readonly canary_percent: number | null;
}

/** What was switched of proxy routes at run time: it outlives a restart and reaches every replica. */
export class ProxyModes {
  readonly #sql: Sql;
  readonly #transactions: Transactions;

  constructor(sql: Sql, transactions: Transactions) {
    this.#sql = sql;
    this.#transactions = transactions;
  }

  /** The switches by route. */
  async read(): Promise<ReadonlyMap<string, KeptSetting>> {
    const rows = await this.#sql<ModeRow[]>`select route, mode, canary_percent from proxy_mode`;
    return new Map(rows.map(({ route, mode, canary_percent: canaryPercent }) => [route, { mode, canaryPercent }]));
  }

  /** Keeps a switch and appends it to the change log, both or neither. */
  async keep({ route, from, to, isConfigured, actor, action, atMs }: ModeSwitch): Promise<void> {
    await this.#transactions.run(async (tx) => {
      if (isConfigured) await tx.query('delete from proxy_mode where route = $1', [route]);
      else
        await tx.query(
          `insert into proxy_mode (route, mode, canary_percent, switched_at) values ($1, $2, $3, to_timestamp($4::float8 / 1000))
           on conflict (route) do update
           set mode = excluded.mode, canary_percent = excluded.canary_percent, switched_at = excluded.switched_at`,
          [route, to.mode, to.canaryPercent, atMs],
        );
      await logChange(tx, { atMs, actor, action, subject: route, before: logged(from), after: logged(to) });
    });
  }
}

const logged = ({ mode, canaryPercent }: RouteSetting) => ({ mode, canary_percent: canaryPercent });
