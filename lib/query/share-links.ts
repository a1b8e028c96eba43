import type { Sql } from '@/db/connect';
import type { ShareLinkItem } from '@/lib/wire/access-responses';

const LINKS_MAX = 200;

/** Links of an incident, newest first; never their tokens. */
export async function queryShareLinks(sql: Sql, incident: string, nowMs: number): Promise<ShareLinkItem[]> {
  const rows = await sql<ShareRow[]>`
    select id, created_at, created_by, expires_at, revoked_at from share_link
    where incident_id = ${incident}::uuid order by created_at desc, id limit ${LINKS_MAX}`;
  return rows.map(({ id, created_at, created_by, expires_at, revoked_at }) => ({
    id,
    state: revoked_at !== null ? 'revoked' : expires_at.getTime() <= nowMs ? 'expired' : 'active',
    created_at: created_at.toISOString(),
    created_by,
    expires_at: expires_at.toISOString(),
  }));
}

interface ShareRow {
  readonly id: string;
  readonly created_at: Date;
  readonly created_by: string;
  readonly expires_at: Date;
  readonly revoked_at: Date | null;
}
