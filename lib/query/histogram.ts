import type { Sql } from '@/db/connect';
import { isRolledUp, type PeriodFilter } from '@/lib/query/attempt-facts-source';
import { attemptConditions, namesServers, tellsOutcomes } from '@/lib/query/attempt-filter';
import { bucketOf } from '@/lib/rollup/buckets';
import { HISTOGRAM_MEASURES, HOUR_MS } from '@/lib/rollup/increments';
import { periodParts } from '@/lib/rollup/period-parts';

/** Attempts of one mark whose measure lies in one bucket of `lib/rollup`. */
export interface BucketCount {
  readonly bucket: number;
  readonly mark: number;
  readonly count: bigint;
}

/** Columns of the rows that hold the measures. */
const COLUMNS = { gap: 'gap_count', lead: 'lead' } as const;
export type CountedMeasure = keyof typeof COLUMNS;

/**
 * How a measure of a filter's attempts is distributed. Histograms answer for whole hours, rows for the rest; both
 * speak in the buckets of the histograms.
 */
export async function queryHistogram(sql: Sql, filter: PeriodFilter, measure: CountedMeasure): Promise<BucketCount[]> {
  const isHistogram = isRolledUp(filter) && !namesServers(filter) && !tellsOutcomes(filter);
  if (!isHistogram) return bucketsOfRows(sql, filter, measure);
  const { inner, edges } = periodParts(filter, HOUR_MS);
  const queries = edges.map((edge) => bucketsOfRows(sql, { ...filter, ...edge }, measure));
  if (inner !== null)
    queries.push(sql<BucketCount[]>`
      select bucket::int, mark::int, sum(count)::bigint as count from attempt_histogram
      where hour >= ${new Date(inner.fromMs)} and hour < ${new Date(inner.toMs)} and measure = ${HISTOGRAM_MEASURES[measure]}
      group by 1, 2`);
  return (await Promise.all(queries)).flat();
}

async function bucketsOfRows(sql: Sql, filter: PeriodFilter, measure: CountedMeasure): Promise<BucketCount[]> {
  const column = sql(COLUMNS[measure]);
  const rows = await sql<{ value: bigint; mark: number; count: bigint }[]>`
    select a.${column} as value, a.mark::int as mark, count(*) as count from attempt a
    where ${attemptConditions(sql, filter)} and a.${column} is not null
    group by 1, 2`;
  return rows.map(({ value, mark, count }) => ({ bucket: bucketOf(value), mark, count }));
}
