import Type from 'typebox';
import type { Sql } from '@/db/connect';
import { QueryReader } from '@/lib/http/query-reader';
import { ok, type Route } from '@/lib/http/route';
import { queryServers } from '@/lib/query/servers';
import { ServerList } from '@/lib/wire/responses';
import { FILTER_PARAMS, readPeriodFilter } from '@/server/api/filter-params';

export function serversRoute(sql: Sql, now: () => number, settled: () => Promise<void>): Route {
  return {
    method: 'GET',
    path: '/api/v1/servers',
    summary: 'Servers with attempts in a period, the most troubled first; the last 24 hours unless given',
    query: Type.Object(FILTER_PARAMS),
    answers: { 200: ServerList },
    errors: ['invalid_field'],
    handle: async ({ query }) => {
      const filter = readPeriodFilter(new QueryReader(query), now());
      await settled();
      return ok(await queryServers(sql, filter));
    },
  };
}
