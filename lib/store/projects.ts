import type { Transactions, Tx } from '@/db/transactions';
import { DEFAULT_PROJECT_ID } from '@/lib/access/projects';
import { logChange } from '@/lib/store/change-log';
import { tellKeysChanged } from '@/lib/store/keys-channel';

/** Who asked for a change, and when. */
interface By {
  readonly actor: string;
  readonly atMs: number;
}

/** What a project is to become; what is absent stays. */
export interface ProjectChange {
  readonly name?: string | undefined;
  readonly archived?: boolean | undefined;
}

/** Why a project was not changed: there is none, its new name is taken, it is the default one, or keys of it hold. */
export type ProjectRefusal = 'unknown' | 'exists' | 'default' | 'in_use';

/** Projects in the database. Every change is logged in the transaction that makes it. */
export class ProjectStore {
  readonly #transactions: Transactions;

  constructor(transactions: Transactions) {
    this.#transactions = transactions;
  }

  /** The id of the new project; null when the name is taken, by an archived one too. */
  create(name: string, by: By): Promise<number | null> {
    return this.#transactions.run(async (tx) => {
      const { rows } = await tx.query<{ id: number }>(
        'insert into project (name, created_at) values ($1, to_timestamp($2::float8 / 1000)) on conflict (name) do nothing returning id',
        [name, by.atMs],
      );
      const [row] = rows;
      if (row === undefined) return null;
      await logChange(tx, { ...by, action: 'project.created', subject: name, before: null, after: null });
      return row.id;
    });
  }

  /** Renames, archives or restores a project. Null: done, or there was nothing to do. */
  change(id: number, { name, archived }: ProjectChange, by: By): Promise<ProjectRefusal | null> {
    return this.#transactions.run(async (tx) => {
      // One change at a time: two could give the same name. Keys that are being made are waited for by the row.
      await tx.query('lock table project in share row exclusive mode');
      const { rows } = await tx.query<{ name: string; archived: boolean }>(
        'select name, archived_at is not null as archived from project where id = $1 for no key update',
        [id],
      );
      const [before] = rows;
      if (before === undefined) return 'unknown';
      const after = { name: name ?? before.name, archived: archived ?? before.archived };
      if (after.name === before.name && after.archived === before.archived) return null;
      const refusal = await refusalOf(tx, id, before, after, by.atMs);
      if (refusal !== null) return refusal;
      await tx.query(
        `update project set name = $2, archived_at = case when $3 then coalesce(archived_at, to_timestamp($4::float8 / 1000)) end where id = $1`,
        [id, after.name, after.archived, by.atMs],
      );
      await logChange(tx, { ...by, action: 'project.changed', subject: before.name, before, after });
      return null;
    });
  }

  /** Moves a server and all that is stored of it to another project. Null: done. */
  moveServer(server: string, project: string, by: By): Promise<'unknown_server' | 'unknown_project' | null> {
    return this.#transactions.run(async (tx) => {
      const { rows } = await tx.query<{ id: number; project: string }>(
        'select s.id, p.name as project from server s join project p on p.id = s.project_id where s.name = $1 for update of s',
        [server],
      );
      const [before] = rows;
      if (before === undefined) return 'unknown_server';
      const to = await openProject(tx, project);
      if (to === null) return 'unknown_project';
      if (before.project === project) return null;
      await tx.query('update server set project_id = $2 where id = $1', [before.id, to]);
      const [from, after] = [{ project: before.project }, { project }];
      await logChange(tx, { ...by, action: 'project.server_moved', subject: server, before: from, after });
      await tellKeysChanged(tx);
      return null;
    });
  }
}

/** The id of a project that takes keys and servers, which it does until the transaction ends; null when there is none of the name. */
export async function openProject(tx: Tx, name: string): Promise<number | null> {
  const { rows } = await tx.query<{ id: number }>('select id from project where name = $1 and archived_at is null for share', [name]);
  return rows[0]?.id ?? null;
}

interface ProjectState {
  readonly name: string;
  readonly archived: boolean;
}

async function refusalOf(tx: Tx, id: number, before: ProjectState, after: ProjectState, atMs: number): Promise<ProjectRefusal | null> {
  if (after.name !== before.name) {
    const { rows } = await tx.query('select from project where name = $1', [after.name]);
    if (rows.length > 0) return 'exists';
  }
  if (before.archived || !after.archived) return null;
  if (id === DEFAULT_PROJECT_ID) return 'default';
  const { rows } = await tx.query(
    `select from access_key
     where project_id = $1 and revoked_at is null and (expires_at is null or expires_at > to_timestamp($2::float8 / 1000)) limit 1`,
    [id, atMs],
  );
  return rows.length > 0 ? 'in_use' : null;
}
