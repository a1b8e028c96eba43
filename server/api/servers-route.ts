import Type from 'typebox';
import type { Sql } from '@/db/connect';
import { HttpError } from '@/lib/http/http-error';
import { QueryReader } from '@/lib/http/query-reader';
import { ok, type Route } from '@/lib/http/route';
import { queryServerDetail } from '@/lib/query/server-detail';
import { queryServers } from '@/lib/query/servers';
import { ServerDetail, ServerList } from '@/lib/wire/responses';
import { FILTER_PARAMS, InstantParam, readPeriodFilter } from '@/server/api/filter-params';
import { inProject } from '@/server/api/project-filter';

export function serverRoutes(sql: Sql, now: () => number, settled: () => Promise<void>): Route[] {
  return [listRoute(sql, now, settled), detailRoute(sql, now, settled)];
}

function listRoute(sql: Sql, now: () => number, settled: () => Promise<void>): Route {
  return {
    method: 'GET',
    path: '/api/v1/servers',
    summary: 'Servers with attempts in a period, the most troubled first; the last 24 hours unless given',
    query: Type.Object(FILTER_PARAMS),
    answers: { 200: ServerList },
    errors: ['invalid_field'],
    handle: async ({ query }) => {
      const reader = new QueryReader(query);
      const filter = await inProject(sql, reader, readPeriodFilter(reader, now()));
      await settled();
      return ok(await queryServers(sql, filter));
    },
  };
}

function detailRoute(sql: Sql, now: () => number, settled: () => Promise<void>): Route {
  return {
    method: 'GET',
    path: '/api/v1/servers/{name}',
    summary: 'One server in a period: retention, generations, clients, revisions, id shapes; the last 24 hours unless given',
    query: Type.Object({ from: InstantParam, to: InstantParam }),
    answers: { 200: ServerDetail },
    errors: ['invalid_field', 'not_found'],
    handle: async ({ params, query }) => {
      const name = params['name'] ?? '';
      const filter = { ...readPeriodFilter(new QueryReader(query), now()), servers: [name] };
      await settled();
      const detail = await queryServerDetail(sql, name, filter);
      if (detail === null) throw new HttpError('not_found', 'no record names this server');
      return ok(detail);
    },
  };
}
