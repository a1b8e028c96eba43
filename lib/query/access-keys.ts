import type { Sql } from '@/db/connect';
import { scopesOf } from '@/lib/store/access-keys';
import type { AccessKeyItem } from '@/lib/wire/key-responses';

/** Keys that a list shows; an installation with more keeps them elsewhere. */
const KEYS_MAX = 1_000;

/** Keys made through the API, newest first; revoked and expired ones too. Never the keys themselves. */
export async function queryAccessKeys(sql: Sql, nowMs: number): Promise<AccessKeyItem[]> {
  const rows = await sql<KeyRow[]>`
    select k.id, prefix, label, p.name as project, scopes, k.created_at, created_by, last_used_at, expires_at, revoked_at, replaces
    from access_key k join project p on p.id = k.project_id order by k.created_at desc, k.id limit ${KEYS_MAX}`;
  return rows.map((row) => ({
    id: row.id,
    prefix: `tdm_${row.prefix}`,
    label: row.label,
    project: row.project,
    scopes: scopesOf(row.scopes),
    state: stateOf(row, nowMs),
    created_at: row.created_at.toISOString(),
    created_by: row.created_by,
    last_used_at: row.last_used_at?.toISOString() ?? null,
    expires_at: row.expires_at?.toISOString() ?? null,
    revoked_at: row.revoked_at?.toISOString() ?? null,
    replaces: row.replaces,
  }));
}

function stateOf({ revoked_at, expires_at }: KeyRow, nowMs: number): AccessKeyItem['state'] {
  if (revoked_at !== null) return 'revoked';
  if (expires_at === null) return 'active';
  return expires_at.getTime() <= nowMs ? 'expired' : 'expiring';
}

interface KeyRow {
  readonly id: string;
  readonly prefix: string;
  readonly label: string;
  readonly project: string;
  readonly scopes: string;
  readonly created_at: Date;
  readonly created_by: string;
  readonly last_used_at: Date | null;
  readonly expires_at: Date | null;
  readonly revoked_at: Date | null;
  readonly replaces: string | null;
}
