import type { Sql } from '@/db/connect';
import type { Transactions, Tx } from '@/db/transactions';
import { DEFAULT_PROJECT_ID } from '@/lib/access/projects';
import { SCOPES, type Scope } from '@/lib/http/caller';
import type { StoredKey } from '@/lib/http/key-ring';
import { logChange } from '@/lib/store/change-log';
import { tellKeysChanged } from '@/lib/store/keys-channel';
import { openProject } from '@/lib/store/projects';

export interface NewAccessKey {
  readonly id: string;
  readonly prefix: string;
  readonly hash: string;
  readonly label: string;
  /** Name of the project; null for the default one, whatever its name. */
  readonly project: string | null;
  readonly scopes: readonly Scope[];
  readonly expiresAtMs: number | null;
}

/** What a change of keys is logged with. */
export interface KeyChange {
  readonly actor: string;
  readonly atMs: number;
}

/** Access keys in the database. Every change is logged in the transaction that makes it, and told to all processes. */
export class AccessKeyStore {
  readonly #sql: Sql;
  readonly #transactions: Transactions;

  constructor(sql: Sql, transactions: Transactions) {
    this.#sql = sql;
    this.#transactions = transactions;
  }

  /** Keys that pass, or will until they expire. */
  async held(nowMs: number): Promise<StoredKey[]> {
    const rows = await this.#sql<HeldRow[]>`
      select id, prefix, hash, label, project_id as project, scopes, expires_at from access_key
      where revoked_at is null and (expires_at is null or expires_at > ${new Date(nowMs)})`;
    return rows.map(({ scopes, expires_at, ...key }) => {
      return { ...key, scopes: scopesOf(scopes), expiresAtMs: expires_at?.getTime() ?? null };
    });
  }

  /** False when no project has that name, or it was archived. */
  async create(key: NewAccessKey, change: KeyChange): Promise<boolean> {
    return this.#transactions.run(async (tx) => {
      const project = key.project === null ? DEFAULT_PROJECT_ID : await openProject(tx, key.project);
      if (project === null) return false;
      await insertKey(tx, key, project, change, null);
      await logChange(tx, { ...change, action: 'key.created', subject: key.id, before: null, after: described(key) });
      await tellKeysChanged(tx);
      return true;
    });
  }

  /**
   * Puts a new key in the place of one that holds; the old one passes until `untilMs`, or until it expires if that is
   * sooner. The new one expires at `next.expiresAtMs`, or when the old one would have where that is undefined. Null when
   * there is no such key, or it was revoked, replaced or has expired.
   */
  async rotate(
    id: string,
    next: Pick<NewAccessKey, 'id' | 'prefix' | 'hash'> & { readonly expiresAtMs: number | null | undefined },
    untilMs: number,
    change: KeyChange,
  ): Promise<NewAccessKey | null> {
    return this.#transactions.run(async (tx) => {
      const { rows } = await tx.query<RotatedRow>(
        `select label, project_id, (select name from project p where p.id = project_id) as project, scopes, expires_at
         from access_key where id = $1 and revoked_at is null and (expires_at is null or expires_at > to_timestamp($2::float8 / 1000))
         for update`,
        [id, change.atMs],
      );
      const [old] = rows;
      // Asked once the row is locked, so that of two rotations at a time the second sees what the first did.
      if (old === undefined || (await isReplaced(tx, id))) return null;
      const oldMs = old.expires_at?.getTime() ?? null;
      const endMs = Math.min(untilMs, oldMs ?? untilMs);
      await tx.query('update access_key set expires_at = to_timestamp($2::float8 / 1000) where id = $1', [id, endMs]);
      const expiresAtMs = next.expiresAtMs === undefined ? oldMs : next.expiresAtMs;
      const key = { ...next, label: old.label, project: old.project, scopes: scopesOf(old.scopes), expiresAtMs };
      await insertKey(tx, key, old.project_id, change, id);
      const after = { replaced_by: key.id, expires_at: new Date(endMs).toISOString() };
      await logChange(tx, { ...change, action: 'key.rotated', subject: id, before: null, after });
      await tellKeysChanged(tx);
      return key;
    });
  }

  /** Ends a key at once. False when there is no such key, or it was revoked before. */
  async revoke(id: string, change: KeyChange): Promise<boolean> {
    return this.#transactions.run(async (tx) => {
      const { rows } = await tx.query<{ label: string }>(
        'update access_key set revoked_at = to_timestamp($2::float8 / 1000) where id = $1 and revoked_at is null returning label',
        [id, change.atMs],
      );
      const [row] = rows;
      if (row === undefined) return false;
      await logChange(tx, { ...change, action: 'key.revoked', subject: id, before: { label: row.label }, after: null });
      await tellKeysChanged(tx);
      return true;
    });
  }

  /** Notes when keys were last used; an older note never takes the place of a newer one. */
  async noteUsed(used: ReadonlyMap<string, number>): Promise<void> {
    if (used.size === 0) return;
    const list = JSON.stringify([...used].map(([id, ms]) => ({ id, at: new Date(ms).toISOString() })));
    await this.#sql`
      update access_key k set last_used_at = greatest(k.last_used_at, u.at)
      from json_to_recordset(${list}::text::json) as u (id uuid, at timestamptz) where k.id = u.id`;
  }
}

/** Scopes as a column holds them; a word that this version does not know grants nothing. */
export function scopesOf(text: string): Scope[] {
  return SCOPES.filter((scope) => text.split(' ').includes(scope));
}

async function isReplaced(tx: Tx, id: string): Promise<boolean> {
  const { rows } = await tx.query<{ id: string }>('select id from access_key where replaces = $1 limit 1', [id]);
  return rows.length > 0;
}

async function insertKey(tx: Tx, key: NewAccessKey, projectId: number, change: KeyChange, replaces: string | null): Promise<void> {
  await tx.query(
    `insert into access_key (id, prefix, hash, label, project_id, scopes, created_at, created_by, expires_at, replaces)
     values ($1, $2, $3, $4, $5, $6, to_timestamp($7::float8 / 1000), $8, to_timestamp($9::float8 / 1000), $10)`,
    [key.id, key.prefix, key.hash, key.label, projectId, key.scopes.join(' '), change.atMs, change.actor, key.expiresAtMs, replaces],
  );
}

function described({ label, project, scopes, expiresAtMs }: NewAccessKey) {
  return { label, project, scopes, ...(expiresAtMs === null ? {} : { expires_at: new Date(expiresAtMs).toISOString() }) };
}

interface HeldRow {
  readonly id: string;
  readonly prefix: string;
  readonly hash: string;
  readonly label: string;
  readonly project: number;
  readonly scopes: string;
  readonly expires_at: Date | null;
}

interface RotatedRow {
  readonly label: string;
  readonly project: string;
  readonly project_id: number;
  readonly scopes: string;
  readonly expires_at: Date | null;
}
