import { MARK_CODES } from '@/db/codes';
import type { Sql } from '@/db/connect';
import { isRolledUp, type PeriodFilter } from '@/lib/query/attempt-facts-source';
import { attemptConditions, ofServers, tellsOutcomes } from '@/lib/query/attempt-filter';
import { HOUR_MS } from '@/lib/rollup/increments';
import { type Period, periodParts } from '@/lib/rollup/period-parts';

/** Which attempts make a session count: any, or unsafe resumes. */
export type CountedBy = 'any' | 'unsafe';

/** How many sessions had an attempt, or an unsafe resume, that the filter lets through. */
export async function querySessionCount(sql: Sql, filter: PeriodFilter, by: CountedBy): Promise<number> {
  const [row] = await sql<
    { sessions: number }[]
  >`select coalesce(sum(c.sessions), 0)::int as sessions from ${sessionCounts(sql, filter, by)} c`;
  return row?.sessions ?? 0;
}

/**
 * Sessions by server, as a fragment that stands for a table: server_id, sessions. A session belongs to one server,
 * so the counts add up. Whole hours are a sum over `session_count`; of the edges only the sessions are looked at
 * that had nothing in those hours.
 */
export function sessionCounts(sql: Sql, filter: PeriodFilter, by: CountedBy) {
  const rows = (period: Period) => sql`
    select distinct a.server_id, a.session_ref from attempt a
    where ${attemptConditions(sql, { ...filter, ...period })} and a.session_ref is not null
      and ${by === 'unsafe' ? sql`a.mark = ${MARK_CODES.unsafe_resume}` : sql`true`}`;
  const { inner, edges } = periodParts(filter, HOUR_MS);
  // The rollups know that a session had an attempt, not which.
  if (inner === null || !isRolledUp(filter) || tellsOutcomes(filter))
    return sql`(select d.server_id, count(*) as sessions from (${rows(filter)}) d group by 1)`;
  const [from, to] = [new Date(inner.fromMs), new Date(inner.toMs)];
  const whole = sql`
    select c.server_id, sum(c.sessions)::bigint as sessions from session_count c
    where c.is_unsafe = ${by === 'unsafe'} and c.hour >= ${from} and c.hour < ${to} and c.before < ${from} and ${ofServers(sql, filter, 'c')}
    group by 1`;
  if (edges.length === 0) return sql`(${whole})`;
  const seen = edges.map(rows).reduce((all, next) => sql`${all} union ${next}`);
  return sql`(${whole} union all
    select e.server_id, count(*) from (${seen}) e
    where not exists (select from session_hour h
      where h.session_ref = e.session_ref and h.hour >= ${from} and h.hour < ${to} and ${by === 'unsafe' ? sql`h.unsafe > 0` : sql`true`})
    group by 1)`;
}
