import { randomUUID } from 'node:crypto';
import type { Sql } from '@/db/connect';
import type { Transactions } from '@/db/transactions';
import { logChange } from '@/lib/store/change-log';
import type { By } from '@/lib/store/members';

/** Links that show one incident to whoever has them. Every change is logged in the transaction that makes it. */
export class ShareLinkStore {
  readonly #sql: Sql;
  readonly #transactions: Transactions;

  constructor(sql: Sql, transactions: Transactions) {
    this.#sql = sql;
    this.#transactions = transactions;
  }

  /** Makes a link; its id, or null when there is no such incident. `hash` is the keyed hash of its token. */
  create(incident: string, hash: string, expiresAtMs: number, by: By): Promise<string | null> {
    return this.#transactions.run(async (tx) => {
      const id = randomUUID();
      const { rowCount } = await tx.query(
        `insert into share_link (id, hash, incident_id, created_at, created_by, expires_at)
         select $1, $2, i.id, to_timestamp($4::float8 / 1000), $5, to_timestamp($6::float8 / 1000) from incident i where i.id = $3::uuid`,
        [id, hash, incident, by.atMs, by.actor, expiresAtMs],
      );
      if (rowCount !== 1) return null;
      const after = { link: id, expires_at: new Date(expiresAtMs).toISOString() };
      await logChange(tx, { ...by, action: 'share.created', subject: incident, before: null, after });
      return id;
    });
  }

  /** Ends a link; false when the incident has none of this id that holds. */
  revoke(incident: string, id: string, by: By): Promise<boolean> {
    return this.#transactions.run(async (tx) => {
      const { rowCount } = await tx.query(
        `update share_link set revoked_at = to_timestamp($3::float8 / 1000)
         where id = $2::uuid and incident_id = $1::uuid and revoked_at is null and expires_at > to_timestamp($3::float8 / 1000)`,
        [incident, id, by.atMs],
      );
      if (rowCount !== 1) return false;
      await logChange(tx, { ...by, action: 'share.revoked', subject: incident, before: { link: id }, after: null });
      return true;
    });
  }

  /** The incident that a link shows; null when it does not hold. */
  async incidentOf(hash: string, atMs: number): Promise<{ readonly incident: string; readonly expiresAtMs: number } | null> {
    const [row] = await this.#sql<{ incident_id: string; expires_at: Date }[]>`
      select incident_id, expires_at from share_link where hash = ${hash} and revoked_at is null and expires_at > ${new Date(atMs)}`;
    return row === undefined ? null : { incident: row.incident_id, expiresAtMs: row.expires_at.getTime() };
  }
}
