import Type from 'typebox';
import type { Sql } from '@/db/connect';
import { invalidField } from '@/lib/http/http-error';
import { QueryReader } from '@/lib/http/query-reader';
import { ok, type Route } from '@/lib/http/route';
import { querySeries } from '@/lib/query/series';
import { SERIES_KEYS, Series } from '@/lib/wire/responses';
import { FILTER_PARAMS, readPeriodFilter } from '@/server/api/filter-params';
import { inProject } from '@/server/api/project-filter';

const POINTS_MAX = 2_000;
/** Points of a chart when no step is asked for. */
const POINTS_WANTED = 120;
const STEPS_S = [1, 5, 10, 30, 60, 300, 900, 1_800, 3_600, 10_800, 21_600, 86_400] as const;
const STEP_S_MAX = 366 * 86_400;

export function seriesRoute(sql: Sql, now: () => number, settled: () => Promise<void>): Route {
  return {
    method: 'GET',
    path: '/api/v1/series',
    summary: 'Attempts over time, told apart by one of their properties; the last 24 hours unless given',
    query: Type.Object({
      ...FILTER_PARAMS,
      step: Type.Optional(Type.Integer({ minimum: 1, maximum: STEP_S_MAX, description: 'seconds of one point' })),
      by: Type.Optional(Type.String({ description: `one of ${SERIES_KEYS.join(', ')}; mark unless given` })),
    }),
    answers: { 200: Series },
    errors: ['invalid_field'],
    handle: async ({ query }) => {
      const reader = new QueryReader(query);
      const filter = await inProject(sql, reader, readPeriodFilter(reader, now()));
      const periodS = (filter.toMs - filter.fromMs) / 1000;
      const fitting = STEPS_S.find((step) => periodS / step <= POINTS_WANTED) ?? Math.ceil(periodS / POINTS_WANTED / 86_400) * 86_400;
      const stepS = reader.integer('step', fitting, 1, STEP_S_MAX);
      if (periodS / stepS > POINTS_MAX) throw invalidField('step', `must give at most ${POINTS_MAX} points`);
      const [by = 'mark'] = reader.oneOfEach('by', SERIES_KEYS) ?? [];
      await settled();
      return ok(await querySeries(sql, filter, stepS, by));
    },
  };
}
