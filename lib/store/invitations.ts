import { randomUUID } from 'node:crypto';
import type { Sql } from '@/db/connect';
import type { Transactions, Tx } from '@/db/transactions';
import { type Role, roleOf } from '@/lib/access/roles';
import { logChange } from '@/lib/store/change-log';
import { type By, hasAdmin, insertMember, lockMembers, setPassword } from '@/lib/store/members';

/** What a one-time link is for: the first administrator, another member, or a new password. */
export type InvitationKind = 'first_run' | 'invite' | 'reset';

export interface NewInvitation {
  readonly kind: InvitationKind;
  readonly role: Role;
  /** Null: whoever opens it says. */
  readonly email: string | null;
  /** Whose password it resets. */
  readonly memberId: string | null;
  readonly expiresAtMs: number;
  /** Keyed hash of the token. */
  readonly hash: string;
}

/** What its holder is told of a link that holds. */
export interface HeldInvitation {
  readonly kind: InvitationKind;
  readonly role: Role;
  readonly email: string | null;
  readonly createdBy: string;
  readonly expiresAtMs: number;
}

/** How somebody becomes a member, or has a new password. */
export interface Taking {
  readonly hash: string;
  readonly name: string;
  /** Lower case; not looked at where the link says whom it is for. */
  readonly email: string;
  readonly passwordHash: string;
  readonly atMs: number;
}

/** The address of the member that a link made or mended, or why it did not. */
export type Taken = { readonly email: string } | 'link_invalid' | 'member_exists';

const HOLDS = 'used_at is null and revoked_at is null and expires_at > to_timestamp($2::float8 / 1000)';

/** One-time links. Each is taken in one transaction with what it makes, so it can be taken once only. */
export class InvitationStore {
  readonly #sql: Sql;
  readonly #transactions: Transactions;

  constructor(sql: Sql, transactions: Transactions) {
    this.#sql = sql;
    this.#transactions = transactions;
  }

  /** The link of the first administrator; false when there is one already. */
  createFirst(hash: string, expiresAtMs: number, atMs: number): Promise<boolean> {
    return this.#transactions.run(async (tx) => {
      await lockMembers(tx);
      if (await hasAdmin(tx)) return false;
      const first = { kind: 'first_run', role: 'admin', email: null, memberId: null, expiresAtMs, hash } as const;
      await insertInvitation(tx, first, { actor: 'system', atMs });
      return true;
    });
  }

  /** Invites somebody; `member_exists` when the address is a member's. */
  invite(invitation: NewInvitation, by: By): Promise<string | 'member_exists'> {
    return this.#transactions.run(async (tx) => {
      await lockMembers(tx);
      const { rows } = await tx.query('select from member where email = $1', [invitation.email]);
      if (rows.length > 0) return 'member_exists';
      const id = await insertInvitation(tx, invitation, by);
      const { role, email, expiresAtMs } = invitation;
      const after = { role, email, expires_at: new Date(expiresAtMs).toISOString() };
      await logChange(tx, { ...by, action: 'member.invited', subject: email ?? id, before: null, after });
      return id;
    });
  }

  /** A link that sets a new password for a member; null when there is none of this id. Earlier ones end. */
  resetOf(memberId: string, hash: string, expiresAtMs: number, by: By): Promise<{ email: string } | null> {
    return this.#transactions.run(async (tx) => {
      const { rows } = await tx.query<{ email: string; role: string }>('select email, role from member where id = $1', [memberId]);
      const [row] = rows;
      if (row === undefined) return null;
      await tx.query('update invitation set revoked_at = now() where member_id = $1 and used_at is null and revoked_at is null', [
        memberId,
      ]);
      const { email, role } = row;
      await insertInvitation(tx, { kind: 'reset', role: roleOf(role) ?? 'viewer', email, memberId, expiresAtMs, hash }, by);
      await logChange(tx, { ...by, action: 'member.reset_link_made', subject: email, before: null, after: null });
      return { email };
    });
  }

  /** Ends an invitation; false when there is none of this id that holds. */
  revoke(id: string, by: By): Promise<boolean> {
    return this.#transactions.run(async (tx) => {
      const { rows } = await tx.query<{ email: string | null; role: string }>(
        `update invitation set revoked_at = to_timestamp($2::float8 / 1000) where id = $1 and kind = 'invite' and ${HOLDS} returning email, role`,
        [id, by.atMs],
      );
      const [row] = rows;
      if (row === undefined) return false;
      await logChange(tx, { ...by, action: 'member.invitation_revoked', subject: row.email ?? id, before: row, after: null });
      return true;
    });
  }

  /** What a link is for; null when it does not hold. */
  async look(hash: string, atMs: number): Promise<HeldInvitation | null> {
    const [row] = await this.#sql<HeldRow[]>`
      select kind, role, email, created_by, expires_at from invitation
      where hash = ${hash} and used_at is null and revoked_at is null and expires_at > ${new Date(atMs)}
        and (kind <> 'first_run' or not exists (select from member where role = 'admin'))`;
    if (row === undefined) return null;
    const { kind, role, email, created_by, expires_at } = row;
    return { kind, role: roleOf(role) ?? 'viewer', email, createdBy: created_by, expiresAtMs: expires_at.getTime() };
  }

  /** Takes a link: makes the member or sets the password that it is for. */
  take(taking: Taking): Promise<Taken> {
    return this.#transactions.run(async (tx) => {
      await lockMembers(tx);
      const { rows } = await tx.query<TakenRow>(
        `update invitation set used_at = to_timestamp($2::float8 / 1000) where hash = $1 and ${HOLDS}
         returning kind, role, email, member_id, created_by`,
        [taking.hash, taking.atMs],
      );
      const [link] = rows;
      if (link === undefined || (link.kind === 'first_run' && (await hasAdmin(tx)))) return 'link_invalid';
      const taken = link.kind === 'reset' ? await mend(tx, link, taking) : await join(tx, link, taking);
      // What did not come about must not have used the link up.
      if (taken === 'member_exists') await tx.query('update invitation set used_at = null where hash = $1', [taking.hash]);
      return taken;
    });
  }
}

async function join(tx: Tx, link: TakenRow, { name, email: typed, passwordHash, atMs }: Taking): Promise<Taken> {
  const email = link.email ?? typed;
  const role = roleOf(link.role) ?? 'viewer';
  if (!(await insertMember(tx, { name, email, role, passwordHash }, atMs))) return 'member_exists';
  const after = { name, email, role, invited_by: link.created_by };
  await logChange(tx, { atMs, actor: email, action: 'member.joined', subject: email, before: null, after });
  return { email };
}

/** A new password ends every sign-in: whoever had the old one is out. */
async function mend(tx: Tx, link: TakenRow, { passwordHash, atMs }: Taking): Promise<Taken> {
  if (link.member_id === null || link.email === null) return 'link_invalid';
  await setPassword(tx, link.member_id, passwordHash, atMs);
  await tx.query('delete from member_session where user_id = $1', [link.member_id]);
  await logChange(tx, { atMs, actor: link.email, action: 'member.password_set', subject: link.email, before: null, after: null });
  return { email: link.email };
}

async function insertInvitation(tx: Tx, invitation: NewInvitation, { actor, atMs }: By): Promise<string> {
  const { hash, kind, role, email, memberId, expiresAtMs } = invitation;
  const id = randomUUID();
  await tx.query(
    `insert into invitation (id, hash, kind, role, email, member_id, created_at, created_by, expires_at)
     values ($1, $2, $3, $4, $5, $6, to_timestamp($7::float8 / 1000), $8, to_timestamp($9::float8 / 1000))`,
    [id, hash, kind, role, email, memberId, atMs, actor, expiresAtMs],
  );
  return id;
}

interface HeldRow {
  readonly kind: InvitationKind;
  readonly role: string;
  readonly email: string | null;
  readonly created_by: string;
  readonly expires_at: Date;
}

interface TakenRow {
  readonly kind: InvitationKind;
  readonly role: string;
  readonly email: string | null;
  readonly member_id: string | null;
  readonly created_by: string;
}
