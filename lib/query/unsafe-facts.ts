import { ASSESSMENT_CODES, MARK_CODES } from '@/db/codes';
import type { Sql } from '@/db/connect';
import { isRolledUp, type PeriodFilter } from '@/lib/query/attempt-facts-source';
import { attemptConditions, ofServers, outcomeCodes } from '@/lib/query/attempt-filter';
import { HOUR_MS } from '@/lib/rollup/increments';
import { type Period, periodParts } from '@/lib/rollup/period-parts';

/**
 * The unsafe resumes that a filter lets through, as a fragment that stands for a table: server_id, attempts,
 * gap_events, first_at, last_at. One row may stand for many. Hourly rollups answer for whole hours, rows for the
 * edges; what no rollup knows is answered by the rows alone.
 */
export function unsafeFacts(sql: Sql, filter: PeriodFilter) {
  const rows = (period: Period) => sql`
    select a.server_id, 1::bigint as attempts, coalesce(a.gap_count, 0)::numeric as gap_events, a.at as first_at, a.at as last_at
    from attempt a where ${attemptConditions(sql, { ...filter, ...period })} and a.mark = ${MARK_CODES.unsafe_resume}`;
  // An unsafe resume is no refusal.
  if (filter.unavailable === true) return sql`(${rows(filter)} and false)`;
  if (!isRolledUp(filter)) return sql`(${rows(filter)})`;
  const codes = outcomeCodes(filter)?.filter((code) => code % 16 === ASSESSMENT_CODES.unsafe_resume) ?? null;
  const ofOutcomes = codes === null ? sql`true` : codes.length === 0 ? sql`false` : sql`r.reason * 16 + r.assessment in ${sql(codes)}`;
  return parts(
    sql,
    filter,
    rows,
    (inner) => sql`
    select r.server_id, r.attempts, r.gap_events, r.first_at, r.last_at from server_hour r
    where r.bucket >= ${new Date(inner.fromMs)} and r.bucket < ${new Date(inner.toMs)} and r.assessment = ${ASSESSMENT_CODES.unsafe_resume}
      and ${ofServers(sql, filter, 'r')} and ${ofOutcomes}`,
  );
}

type Fragment = ReturnType<typeof fragmentOf>;

const fragmentOf = (sql: Sql) => sql``;

function parts(sql: Sql, filter: PeriodFilter, rows: (period: Period) => Fragment, rolled: (period: Period) => Fragment) {
  const { inner, edges } = periodParts(filter, HOUR_MS);
  const all = [...edges.map(rows), ...(inner === null ? [] : [rolled(inner)])];
  return sql`(${all.reduce((known, next) => sql`${known} union all ${next}`)})`;
}
