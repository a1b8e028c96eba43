import type { Sql } from '@/db/connect';
import { isRolledUp, type PeriodFilter } from '@/lib/query/attempt-facts-source';
import { attemptConditions, outcomeCodes } from '@/lib/query/attempt-filter';
import { HOUR_MS } from '@/lib/rollup/increments';
import { periodParts } from '@/lib/rollup/period-parts';

/** How many sessions had an attempt that the filter lets through. */
export async function querySessionCount(sql: Sql, filter: PeriodFilter): Promise<number> {
  const [row] = await sql<
    { sessions: number }[]
  >`select count(distinct f.session_ref)::int as sessions from ${sessionFacts(sql, filter)} f`;
  return row?.sessions ?? 0;
}

/** Sessions of a filter's attempts with their servers, as a fragment that stands for a table; sessions may repeat. */
export function sessionFacts(sql: Sql, filter: PeriodFilter) {
  const rows = (period: { fromMs: number; toMs: number }) =>
    sql`select a.server_id, a.session_ref from attempt a where ${attemptConditions(sql, { ...filter, ...period })}`;
  // The hourly list knows that a session had an attempt, not which.
  if (!isRolledUp(filter) || outcomeCodes(filter) !== null) return sql`(${rows(filter)})`;
  const { inner, edges } = periodParts(filter, HOUR_MS);
  const parts = edges.map(rows);
  if (inner !== null) {
    const ofServers =
      filter.servers === null ? sql`true` : sql`h.server_id in (select id from server where name in ${sql([...filter.servers])})`;
    parts.push(sql`
      select h.server_id, h.session_ref from session_hour h
      where h.hour >= ${new Date(inner.fromMs)} and h.hour < ${new Date(inner.toMs)} and ${ofServers}`);
  }
  return sql`(${parts.reduce((all, next) => sql`${all} union all ${next}`)})`;
}
