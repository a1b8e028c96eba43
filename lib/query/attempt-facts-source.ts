import { UNDECIDED_CODE } from '@/db/codes';
import type { Sql } from '@/db/connect';
import { type AttemptFilter, attemptConditions } from '@/lib/query/attempt-filter';

/**
 * Countable facts about the attempts of a filter, as a fragment that stands for a table: at, server_id, reason,
 * assessment, attempts, unavailable, gap_events, uncounted. One row may stand for many attempts; then `at` is the
 * begin of their bucket.
 */
export function attemptFactsSource(sql: Sql, filter: AttemptFilter) {
  return sql`(
    select a.at, a.server_id, coalesce(a.reason, ${UNDECIDED_CODE}::smallint) as reason, a.assessment, 1::bigint as attempts,
      a.is_unavailable::int::bigint as unavailable, coalesce(a.gap_count, 0)::numeric as gap_events,
      (a.gap_count is null)::int::bigint as uncounted
    from attempt a
    where ${attemptConditions(sql, filter)}
  )`;
}

/** The sums of facts (alias `f`) that an `OutcomeCount` holds. */
export function outcomeSums(sql: Sql) {
  return sql`f.reason::int as reason, f.assessment::int as assessment, sum(f.attempts)::bigint as attempts,
    sum(f.unavailable)::bigint as unavailable, sum(f.gap_events)::text as gap_events, sum(f.uncounted)::bigint as uncounted`;
}
