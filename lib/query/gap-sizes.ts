import { MARK_CODES } from '@/db/codes';
import type { Sql } from '@/db/connect';
import { type AttemptFilter, attemptConditions } from '@/lib/query/attempt-filter';
import type { Summary } from '@/lib/wire/responses';

/** Lower bounds of the buckets that a chart of gap sizes shows; the last is open. */
const BUCKETS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 10_000, 100_000] as const;

/** How large the countable gaps were, by what became of the attempt: served unsafely, or refused. */
export async function queryGapSizes(sql: Sql, filter: AttemptFilter): Promise<Summary['gap_sizes']> {
  const rows = await sql<{ bucket: number; unsafe: number; refused: number }[]>`
    select width_bucket(a.gap_count, array[${sql.unsafe(BUCKETS.join(','))}]::bigint[]) as bucket,
      (count(*) filter (where a.mark in (${MARK_CODES.unsafe_resume}, ${MARK_CODES.bad_replay})))::int as unsafe,
      (count(*) filter (where a.mark = ${MARK_CODES.refused}))::int as refused
    from attempt a
    where ${attemptConditions(sql, filter)} and a.gap_count > 0
    group by 1`;
  const counts = new Map(rows.map((row) => [row.bucket, row]));
  return BUCKETS.map((from, index) => {
    const next = BUCKETS[index + 1];
    const count = counts.get(index + 1);
    return { from, to: next === undefined ? null : next - 1, unsafe: count?.unsafe ?? 0, refused: count?.refused ?? 0 };
  });
}
