import { MARK_CODES } from '@/db/codes';
import type { Sql } from '@/db/connect';
import { isRolledUp, type PeriodFilter } from '@/lib/query/attempt-facts-source';
import { attemptConditions, outcomeCodes } from '@/lib/query/attempt-filter';
import { bucketOf, bucketOfOctave } from '@/lib/rollup/buckets';
import { HISTOGRAM_MEASURES, HOUR_MS } from '@/lib/rollup/increments';
import { periodParts } from '@/lib/rollup/period-parts';
import type { Summary } from '@/lib/wire/responses';

/** Doublings that the chart tells apart: 1, 2…3, 4…7 and so on; the last is open. */
const OCTAVES = 14;
const LOSSES: readonly number[] = [MARK_CODES.unsafe_resume, MARK_CODES.bad_replay];

interface GapCount {
  readonly bucket: number;
  readonly mark: number;
  readonly count: bigint;
}

/** How large the countable gaps were, by what became of the attempt: served unsafely, or refused. */
export async function queryGapSizes(sql: Sql, filter: PeriodFilter): Promise<Summary['gap_sizes']> {
  const counts = (await Promise.all(gapQueries(sql, filter))).flat();
  return Array.from({ length: OCTAVES }, (_, octave) => {
    const isLast = octave === OCTAVES - 1;
    const [low, high] = [bucketOfOctave(octave), isLast ? Number.POSITIVE_INFINITY : bucketOfOctave(octave + 1)];
    const inside = counts.filter(({ bucket }) => bucket >= low && bucket < high);
    return {
      from: 2 ** octave,
      to: isLast ? null : 2 ** (octave + 1) - 1,
      unsafe: sum(inside.filter(({ mark }) => LOSSES.includes(mark))),
      refused: sum(inside.filter(({ mark }) => mark === MARK_CODES.refused)),
    };
  });
}

function sum(counts: readonly GapCount[]): number {
  return counts.reduce((total, { count }) => total + Number(count), 0);
}

/** Histograms answer for whole hours, rows for the rest; both speak in the buckets of the histograms. */
function gapQueries(sql: Sql, filter: PeriodFilter): Promise<GapCount[]>[] {
  const isHistogram = isRolledUp(filter) && filter.servers === null && outcomeCodes(filter) === null;
  if (!isHistogram) return [gapsOfRows(sql, filter)];
  const { inner, edges } = periodParts(filter, HOUR_MS);
  const queries = edges.map((edge) => gapsOfRows(sql, { ...filter, ...edge }));
  if (inner === null) return queries;
  const histogram = sql<GapCount[]>`
    select bucket::int, mark::int, sum(count)::bigint as count from attempt_histogram
    where hour >= ${new Date(inner.fromMs)} and hour < ${new Date(inner.toMs)} and measure = ${HISTOGRAM_MEASURES.gap}
    group by 1, 2`;
  return [...queries, histogram];
}

async function gapsOfRows(sql: Sql, filter: PeriodFilter): Promise<GapCount[]> {
  const rows = await sql<{ gap: bigint; mark: number; count: bigint }[]>`
    select a.gap_count as gap, a.mark::int as mark, count(*) as count from attempt a
    where ${attemptConditions(sql, filter)} and a.gap_count > 0
    group by 1, 2`;
  return rows.map(({ gap, mark, count }) => ({ bucket: bucketOf(gap), mark, count }));
}
