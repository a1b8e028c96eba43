import Type from 'typebox';
import type { Sql } from '@/db/connect';
import { invalidField } from '@/lib/http/http-error';
import type { QueryReader } from '@/lib/http/query-reader';
import { queryServersOfProject } from '@/lib/query/projects';

export const ProjectParam = Type.Optional(Type.String({ description: 'name of a project: only what its servers sent' }));

/** Narrows a filter to the servers of the project that a query string names. */
export async function inProject<F extends { readonly servers: readonly string[] | null; readonly project?: number }>(
  sql: Sql,
  reader: QueryReader,
  filter: F,
): Promise<F> {
  const project = reader.text('project');
  if (project === null) return filter;
  const found = await queryServersOfProject(sql, project);
  if (found === null) throw invalidField('project', 'must be the name of a project: see /api/v1/projects');
  if (filter.servers === null) return { ...filter, servers: found.servers, project: found.id };
  const among = new Set(found.servers);
  return { ...filter, servers: filter.servers.filter((server) => among.has(server)) };
}
