import type { Sql } from '@/db/connect';
import { Horizon } from '@/lib/auditor/horizon';

/** Up to which number the transactions of the intake are settled: committed and visible, or gone for good. */
export class SettledBatch {
  readonly #sql: Sql;
  readonly #now: () => number;
  readonly #horizon = new Horizon();

  constructor(sql: Sql, now: () => number) {
    this.#sql = sql;
    this.#now = now;
  }

  async read(): Promise<number> {
    // Two statements: whatever has a number by the first began before the second looked.
    const [numbered] = await this.#sql<{ last: string }[]>`
      select case when is_called then last_value else 0 end::text as last from intake_batch`;
    const [running] = await this.#sql<{ oldest: string; next: string }[]>`
      select pg_snapshot_xmin(s)::text as oldest, pg_snapshot_xmax(s)::text as next from pg_current_snapshot() s`;
    if (numbered === undefined || running === undefined) return 0;
    const { oldest, next } = running;
    return this.#horizon.advance({ lastBatch: Number(numbered.last), oldest: BigInt(oldest), next: BigInt(next) }, this.#now());
  }
}
