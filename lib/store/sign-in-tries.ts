import type { Sql } from '@/db/connect';

/** So many tries with this in common within a window of 15 minutes. */
export interface TryLimit {
  /** Keyed hash of what they have in common. */
  readonly hash: string;
  readonly max: number;
}

const WINDOW_MS = 15 * 60_000;

/**
 * Counts tries to sign in, for all processes together. Each is counted before its password is looked at, so that many at
 * once are no way around the limit.
 */
export class SignInTries {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** Counts a try under each limit. 0: go on; otherwise the seconds until there may be another. */
  async count(limits: readonly TryLimit[], nowMs: number): Promise<number> {
    const now = new Date(nowMs);
    const until = new Date(nowMs + WINDOW_MS);
    let waitMs = 0;
    // In one order everywhere, so that no two calls wait for each other.
    for (const { hash, max } of [...limits].sort((a, b) => (a.hash < b.hash ? -1 : 1))) {
      const [row] = await this.#sql<{ tries: number; until: Date }[]>`
        insert into sign_in_try as t (hash, tries, until) values (${hash}, 1, ${until})
        on conflict (hash) do update set
          tries = case when t.until <= ${now} then 1 else least(t.tries + 1, 1000000) end,
          until = case when t.until <= ${now} then excluded.until else t.until end
        returning tries, until`;
      if (row !== undefined && row.tries > max) waitMs = Math.max(waitMs, row.until.getTime() - nowMs);
    }
    return Math.ceil(waitMs / 1000);
  }

  /** Forgets the tries of somebody who got in. */
  async forget(hash: string): Promise<void> {
    await this.#sql`delete from sign_in_try where hash = ${hash}`;
  }

  /** Removes what is over: tries, sign-ins, and what no sign-in came back for. */
  async sweep(nowMs: number): Promise<void> {
    const now = new Date(nowMs);
    await this.#sql`delete from sign_in_try where until <= ${now}`;
    await this.#sql`delete from member_session where expires_at <= ${now}`;
    await this.#sql`delete from member_verification where expires_at <= ${now}`;
  }
}
