import { randomUUID } from 'node:crypto';
import type { Transactions, Tx } from '@/db/transactions';
import { type Role, roleOf } from '@/lib/access/roles';
import { logChange } from '@/lib/store/change-log';

/** Whoever changes who is a member takes this first: two at a time could leave no administrator, or make two first ones. */
const MEMBERS_LOCK = 7_310_204_902;

/** Who asked for a change, and when. */
export interface By {
  readonly actor: string;
  readonly atMs: number;
}

export interface NewMember {
  readonly name: string;
  /** Lower case. */
  readonly email: string;
  readonly role: Role;
  /** As the sign-in library hashes it. */
  readonly passwordHash: string;
}

/** Why a change of members did not take place. */
export type MemberRefusal = 'unknown' | 'last_admin';

/** Members in the database. Every change is logged in the transaction that makes it. */
export class MemberStore {
  readonly #transactions: Transactions;

  constructor(transactions: Transactions) {
    this.#transactions = transactions;
  }

  /** Gives a member another role; their sign-ins stay and have it from the next request on. Null: done. */
  changeRole(id: string, role: Role, by: By): Promise<MemberRefusal | null> {
    return this.#changeOne(id, async (tx, before) => {
      if (before.role === role) return null;
      if (before.role === 'admin' && (await isLastAdmin(tx, id))) return 'last_admin';
      await tx.query('update member set role = $2, updated_at = to_timestamp($3::float8 / 1000) where id = $1', [id, role, by.atMs]);
      const change = { action: 'member.role_changed', subject: before.email, before: { role: before.role }, after: { role } };
      await logChange(tx, { ...by, ...change });
      return null;
    });
  }

  /** Removes a member with all their sign-ins and links. Null: done. */
  remove(id: string, by: By): Promise<MemberRefusal | null> {
    return this.#changeOne(id, async (tx, before) => {
      if (before.role === 'admin' && (await isLastAdmin(tx, id))) return 'last_admin';
      await tx.query('delete from member where id = $1', [id]);
      await logChange(tx, { ...by, action: 'member.removed', subject: before.email, before, after: null });
      return null;
    });
  }

  /** Ends every sign-in of a member. Null: done. */
  signOutEverywhere(id: string, by: By): Promise<MemberRefusal | null> {
    return this.#changeOne(id, async (tx, { email }) => {
      const { rowCount } = await tx.query('delete from member_session where user_id = $1', [id]);
      await logChange(tx, { ...by, action: 'member.signed_out', subject: email, before: { sign_ins: rowCount }, after: { sign_ins: 0 } });
      return null;
    });
  }

  /** Notes that a member changed their password, which the sign-in library did. */
  async notePassword(id: string, by: By): Promise<void> {
    await this.#changeOne(id, async (tx, { email }) => {
      await logChange(tx, { ...by, action: 'member.password_set', subject: email, before: null, after: null });
      return null;
    });
  }

  #changeOne(id: string, change: (tx: Tx, before: Described) => Promise<MemberRefusal | null>): Promise<MemberRefusal | null> {
    return this.#transactions.run(async (tx) => {
      await lockMembers(tx);
      const { rows } = await tx.query<{ name: string; email: string; role: string }>('select name, email, role from member where id = $1', [
        id,
      ]);
      const [row] = rows;
      return row === undefined ? 'unknown' : change(tx, { ...row, role: roleOf(row.role) ?? 'viewer' });
    });
  }
}

interface Described {
  readonly name: string;
  readonly email: string;
  readonly role: Role;
}

/** Lets one transaction at a time change who is a member; freed by its end. */
export async function lockMembers(tx: Tx): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(${MEMBERS_LOCK})`);
}

export async function hasAdmin(tx: Tx): Promise<boolean> {
  const { rows } = await tx.query<{ has: boolean }>(`select exists (select from member where role = 'admin') as has`);
  return rows[0]?.has === true;
}

/** Makes a member who signs in with a password; false when the address is taken. Logs nothing: who calls knows why. */
export async function insertMember(tx: Tx, { name, email, role, passwordHash }: NewMember, atMs: number): Promise<boolean> {
  const id = randomUUID();
  const { rowCount } = await tx.query(
    `insert into member (id, name, email, email_verified, role, created_at, updated_at)
     values ($1, $2, $3, true, $4, to_timestamp($5::float8 / 1000), to_timestamp($5::float8 / 1000)) on conflict (email) do nothing`,
    [id, name, email, role, atMs],
  );
  if (rowCount !== 1) return false;
  await setPassword(tx, id, passwordHash, atMs);
  return true;
}

/** Sets the password of a member, whether or not they had one. */
export async function setPassword(tx: Tx, memberId: string, passwordHash: string, atMs: number): Promise<void> {
  await tx.query(
    `insert into member_account (id, user_id, provider_id, account_id, password, created_at, updated_at)
     values ($1, $2, 'credential', $2, $3, to_timestamp($4::float8 / 1000), to_timestamp($4::float8 / 1000))
     on conflict (provider_id, account_id) do update set password = excluded.password, updated_at = excluded.updated_at`,
    [randomUUID(), memberId, passwordHash, atMs],
  );
}

async function isLastAdmin(tx: Tx, id: string): Promise<boolean> {
  const { rows } = await tx.query<{ has: boolean }>(`select exists (select from member where role = 'admin' and id <> $1) as has`, [id]);
  return rows[0]?.has !== true;
}
