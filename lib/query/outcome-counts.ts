import { UNDECIDED_CODE } from '@/db/codes';
import type { Sql } from '@/db/connect';
import { type AttemptFilter, attemptConditions } from '@/lib/query/attempt-filter';
import type { OutcomeCount } from '@/lib/query/measures';

/** Attempts of a filter by reason and assessment. */
export function queryOutcomeCounts(sql: Sql, filter: AttemptFilter): Promise<OutcomeCount[]> {
  return sql<OutcomeCount[]>`
    select ${outcomeColumns(sql)}
    from attempt a
    where ${attemptConditions(sql, filter)}
    group by 1, 2`;
}

/** The measures of a group of attempts (alias `a`), the group's reason and assessment first. */
export function outcomeColumns(sql: Sql) {
  return sql`
    coalesce(a.reason, ${UNDECIDED_CODE}::smallint)::int as reason, a.assessment::int as assessment, count(*) as attempts,
    count(*) filter (where a.is_unavailable) as unavailable, coalesce(sum(a.gap_count), 0)::text as gap_events,
    count(*) filter (where a.gap_count is null) as uncounted`;
}
