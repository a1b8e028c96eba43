import type { Sql } from '@/db/connect';
import { roleOf } from '@/lib/access/roles';
import type { InvitationItem, MemberItem } from '@/lib/wire/access-responses';

const MEMBERS_MAX = 1_000;

/** Members by name, with how each signs in and how many sign-ins they have now. */
export async function queryMembers(sql: Sql, nowMs: number): Promise<MemberItem[]> {
  const rows = await sql<MemberRow[]>`
    select m.id, m.name, m.email, m.role, m.created_at,
      exists (select from member_account a where a.user_id = m.id and a.provider_id = 'credential') as has_password,
      exists (select from member_account a where a.user_id = m.id and a.provider_id <> 'credential') as has_provider,
      (select count(*)::int from member_session s where s.user_id = m.id and s.expires_at > ${new Date(nowMs)}) as sign_ins,
      (select max(s.created_at) from member_session s where s.user_id = m.id) as signed_in_at
    from member m order by m.name, m.email limit ${MEMBERS_MAX}`;
  return rows.map(({ role, created_at, signed_in_at, ...row }) => ({
    ...row,
    role: roleOf(role) ?? 'viewer',
    created_at: created_at.toISOString(),
    signed_in_at: signed_in_at?.toISOString() ?? null,
  }));
}

/** Invitations that still hold, newest first. */
export async function queryInvitations(sql: Sql, nowMs: number): Promise<InvitationItem[]> {
  const rows = await sql<InvitationRow[]>`
    select id, email, role, created_at, created_by, expires_at from invitation
    where kind = 'invite' and used_at is null and revoked_at is null and expires_at > ${new Date(nowMs)}
    order by created_at desc, id limit ${MEMBERS_MAX}`;
  return rows.map(({ role, created_at, expires_at, ...row }) => ({
    ...row,
    role: roleOf(role) ?? 'viewer',
    created_at: created_at.toISOString(),
    expires_at: expires_at.toISOString(),
  }));
}

/** Whether there is an administrator. */
export async function queryHasAdmin(sql: Sql): Promise<boolean> {
  const [row] = await sql<{ has: boolean }[]>`select exists (select from member where role = 'admin') as has`;
  return row?.has === true;
}

interface MemberRow {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly role: string;
  readonly created_at: Date;
  readonly has_password: boolean;
  readonly has_provider: boolean;
  readonly sign_ins: number;
  readonly signed_in_at: Date | null;
}

interface InvitationRow {
  readonly id: string;
  readonly email: string | null;
  readonly role: string;
  readonly created_at: Date;
  readonly created_by: string;
  readonly expires_at: Date;
}
