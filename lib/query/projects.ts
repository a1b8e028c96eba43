import type { Sql } from '@/db/connect';
import { DEFAULT_PROJECT_ID } from '@/lib/access/projects';
import type { ProjectItem, ProjectServers } from '@/lib/wire/project-responses';

/** Servers of one project that a list shows; the others are counted. */
const SERVERS_MAX = 1_000;

/** Projects by name, the default one first. Of their keys those count that hold. */
export async function queryProjects(sql: Sql, nowMs: number): Promise<ProjectItem[]> {
  const rows = await sql<ProjectRow[]>`
    select p.id, p.name, p.created_at, p.archived_at,
      (select count(*)::int from server s where s.project_id = p.id) as servers,
      (select count(*)::int from access_key k
        where k.project_id = p.id and k.revoked_at is null and (k.expires_at is null or k.expires_at > ${new Date(nowMs)})) as keys
    from project p order by p.id <> ${DEFAULT_PROJECT_ID}, p.name`;
  return rows.map(({ id, name, created_at, archived_at, servers, keys }) => ({
    id,
    name,
    is_default: id === DEFAULT_PROJECT_ID,
    created_at: created_at.toISOString(),
    archived_at: archived_at?.toISOString() ?? null,
    keys,
    servers,
  }));
}

/** The servers of a project by name; null when there is no such project. */
export async function queryProjectServers(sql: Sql, id: number): Promise<ProjectServers | null> {
  const [counted] = await sql<{ total: number }[]>`
    select (select count(*)::int from server s where s.project_id = p.id) as total from project p where p.id = ${id}`;
  if (counted === undefined) return null;
  const rows = await sql<{ server: string; last: Date | null }[]>`
    select s.name as server, a.last_at as last from server s left join server_activity a on a.server_id = s.id
    where s.project_id = ${id} order by s.name limit ${SERVERS_MAX}`;
  return { total: counted.total, items: rows.map(({ server, last }) => ({ server, last_seen_at: last?.toISOString() ?? null })) };
}

/** A project and the names of all its servers; null when no project has the name. */
export async function queryServersOfProject(sql: Sql, project: string): Promise<{ id: number; servers: string[] } | null> {
  const rows = await sql<{ id: number; server: string | null }[]>`
    select p.id, s.name as server from project p left join server s on s.project_id = p.id where p.name = ${project}`;
  const [first] = rows;
  return first === undefined ? null : { id: first.id, servers: rows.flatMap(({ server }) => server ?? []) };
}

interface ProjectRow {
  readonly id: number;
  readonly name: string;
  readonly created_at: Date;
  readonly archived_at: Date | null;
  readonly servers: number;
  readonly keys: number;
}
