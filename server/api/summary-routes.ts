import Type from 'typebox';
import type { Sql } from '@/db/connect';
import { QueryReader } from '@/lib/http/query-reader';
import { ok, type Route } from '@/lib/http/route';
import { querySummary } from '@/lib/query/summary';
import { Summary } from '@/lib/wire/responses';
import { FILTER_PARAMS, readPeriodFilter } from '@/server/api/filter-params';

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
        const filter = readPeriodFilter(new QueryReader(query), now());
        await settled();
        return ok(await querySummary(sql, filter));
      },
    },
  ];
}
