import type { Sql } from '@/db/connect';
import type { Transactions } from '@/db/transactions';
import { logChange } from '@/lib/store/change-log';

/** A switch of a route's mode; `to` null goes back to the configured mode. */
export interface ModeSwitch {
  readonly route: string;
  readonly from: string;
  readonly to: string;
  /** Whether `to` is what the configuration says, so that nothing has to stand over it. */
  readonly isConfigured: boolean;
  readonly actor: string;
  readonly action: 'proxy.mode_switched' | 'proxy.breaker_tripped';
  readonly atMs: number;
}

/** Modes of proxy routes that were switched at run time: they outlive a restart and reach every replica. */
export class ProxyModes {
  readonly #sql: Sql;
  readonly #transactions: Transactions;

  constructor(sql: Sql, transactions: Transactions) {
    this.#sql = sql;
    this.#transactions = transactions;
  }

  /** The switched modes by route. */
  async read(): Promise<ReadonlyMap<string, string>> {
    const rows = await this.#sql<{ route: string; mode: string }[]>`select route, mode from proxy_mode`;
    return new Map(rows.map(({ route, mode }) => [route, mode]));
  }

  /** Keeps a switch and appends it to the change log, both or neither. */
  async keep({ route, from, to, isConfigured, actor, action, atMs }: ModeSwitch): Promise<void> {
    await this.#transactions.run(async (tx) => {
      if (isConfigured) await tx.query('delete from proxy_mode where route = $1', [route]);
      else
        await tx.query(
          `insert into proxy_mode (route, mode, switched_at) values ($1, $2, to_timestamp($3::float8 / 1000))
           on conflict (route) do update set mode = excluded.mode, switched_at = excluded.switched_at`,
          [route, to, atMs],
        );
      await logChange(tx, { atMs, actor, action, subject: route, before: { mode: from }, after: { mode: to } });
    });
  }
}
