import Type from 'typebox';
import type { Sql } from '@/db/connect';
import { invalidField } from '@/lib/http/http-error';
import type { QueryReader } from '@/lib/http/query-reader';
import { queryServersOfProject } from '@/lib/query/projects';

export const ProjectParam = Type.Optional(Type.String({ description: 'name of a project: only what its servers sent' }));

/** Narrows a filter to the servers of the project that a query string names. */
export async function inProject<F extends { readonly servers: readonly string[] | null }>(
  sql: Sql,
  reader: QueryReader,
  filter: F,
): Promise<F> {
  const project = reader.text('project');
  if (project === null) return filter;
  const servers = await queryServersOfProject(sql, project);
  if (servers === null) throw invalidField('project', 'must be the name of a project: see /api/v1/projects');
  const among = new Set(servers);
  return { ...filter, servers: filter.servers === null ? servers : filter.servers.filter((server) => among.has(server)) };
}
