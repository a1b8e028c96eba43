import Type from 'typebox';
import type { Sql } from '@/db/connect';
import { QueryReader } from '@/lib/http/query-reader';
import { ok, type Route } from '@/lib/http/route';
import { querySummary } from '@/lib/query/summary';
import { Summary } from '@/lib/wire/responses';
import { FILTER_PARAMS, readPeriodFilter } from '@/server/api/filter-params';
import { inProject } from '@/server/api/project-filter';

export function summaryRoutes(sql: Sql, now: () => number, settled: () => Promise<void>): Route[] {
  return [
    {
      method: 'GET',
      path: '/api/v1/summary',
      summary: 'The headline numbers of a period; the last 24 hours unless given',
      query: Type.Object(FILTER_PARAMS),
      answers: { 200: Summary },
      errors: ['invalid_field'],
      handle: async ({ query }) => {
        const reader = new QueryReader(query);
        const filter = await inProject(sql, reader, readPeriodFilter(reader, now()));
        await settled();
        return ok(await querySummary(sql, filter));
      },
    },
  ];
}
