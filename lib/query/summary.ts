import type { Sql } from '@/db/connect';
import type { PeriodFilter } from '@/lib/query/attempt-facts-source';
import { queryBlindness } from '@/lib/query/blindness';
import { findingsOf } from '@/lib/query/finding-filter';
import { queryFindingCounts } from '@/lib/query/findings';
import { queryGapSizes, queryLeads } from '@/lib/query/gap-sizes';
import { encodeCount, tally } from '@/lib/query/measures';
import { type LossIncidentRow, lossIncidentOf, lossIncidents, queryOpenIncidents } from '@/lib/query/open-incidents';
import { queryOutcomeCounts } from '@/lib/query/outcome-counts';
import { queryPresence } from '@/lib/query/presence';
import { querySessionCount, sessionCounts } from '@/lib/query/session-count';
import { unsafeFacts } from '@/lib/query/unsafe-facts';
import { periodBefore } from '@/lib/rollup/period-parts';
import type { Blindness, Summary } from '@/lib/wire/responses';

type Counts = Omit<Summary['previous'], 'from' | 'to'>;

/** The headline numbers of a period, and the counts of the equally long one before it. */
export async function querySummary(sql: Sql, filter: PeriodFilter): Promise<Summary> {
  const before = { ...filter, ...periodBefore(filter), isOpen: false };
  const [totals, previous, blindness, blindBefore, losing, bounds, gapSizes, leads, findings, openIncidents, presence] = await Promise.all([
    queryTotals(sql, filter),
    queryCounts(sql, before),
    queryBlindness(sql, filter),
    queryBlindness(sql, before),
    queryLosing(sql, filter),
    queryUnsafeBounds(sql, filter),
    queryGapSizes(sql, filter),
    queryLeads(sql, filter),
    queryFindingCounts(sql, findingsOf(filter)),
    queryOpenIncidents(sql, filter.servers),
    queryPresence(sql, filter),
  ]);
  return {
    from: new Date(filter.fromMs).toISOString(),
    to: new Date(filter.toMs).toISOString(),
    ...blindness,
    totals: withBlindness(totals, blindness),
    previous: {
      from: new Date(before.fromMs).toISOString(),
      to: new Date(before.toMs).toISOString(),
      ...withBlindness(previous, blindBefore),
    },
    ...bounds,
    losing,
    gap_sizes: gapSizes,
    leads,
    findings,
    ...openIncidents,
    ...presence,
  };
}

function withBlindness<T extends Counts>(counts: T, { at_least }: Blindness): T {
  return { ...counts, events_lost_at_least: counts.events_lost_at_least || at_least };
}

async function queryTotals(sql: Sql, filter: PeriodFilter): Promise<Summary['totals']> {
  const [counts, sessions, unsafeSessions] = await Promise.all([
    queryCounts(sql, filter),
    querySessionCount(sql, filter, 'any'),
    querySessionCount(sql, filter, 'unsafe'),
  ]);
  return { ...counts, sessions, unsafe_sessions: unsafeSessions };
}

/** What adds up from minute to minute, unlike sessions: exact for any ends. Of all servers, two minutes at most are read row by row. */
async function queryCounts(sql: Sql, filter: PeriodFilter): Promise<Counts> {
  const total = tally(await queryOutcomeCounts(sql, filter));
  return {
    attempts: total.attempts,
    marks: total.marks,
    assessments: total.assessments,
    resume_unavailable: total.resumeUnavailable,
    events_lost: encodeCount(total.eventsLost),
    events_lost_at_least: total.isAtLeast,
  };
}

const LOSING_MAX = 10;

interface LosingRow extends LossIncidentRow {
  readonly server: string;
  readonly unsafe: number;
  readonly sessions: number;
  readonly lost: string;
  readonly first: Date;
  readonly last: Date;
}

async function queryLosing(sql: Sql, filter: PeriodFilter): Promise<Summary['losing']> {
  const rows = await sql<LosingRow[]>`
    with losing as (
        select u.server_id, sum(u.attempts)::int as unsafe, sum(u.gap_events) as lost, min(u.first_at) as first, max(u.last_at) as last
        from ${unsafeFacts(sql, filter)} u group by 1),
      sessions as (select c.server_id, sum(c.sessions)::int as sessions from ${sessionCounts(sql, filter, 'unsafe')} c group by 1)
    select s.name as server, l.unsafe, coalesce(n.sessions, 0) as sessions, l.lost::text as lost, l.first, l.last, i.*
    from losing l join server s on s.id = l.server_id left join sessions n on n.server_id = l.server_id
      left join ${lossIncidents(sql)} i on i.loss_server = s.name
    order by 2 desc, s.name
    limit ${LOSING_MAX}`;
  return rows.map((row) => ({
    server: row.server,
    unsafe: row.unsafe,
    sessions: row.sessions,
    events_lost: encodeCount(BigInt(row.lost)),
    first_unsafe_at: row.first.toISOString(),
    last_unsafe_at: row.last.toISOString(),
    loss_incident: lossIncidentOf(row),
  }));
}

async function queryUnsafeBounds(sql: Sql, filter: PeriodFilter): Promise<Pick<Summary, 'first_unsafe_at' | 'last_unsafe_at'>> {
  const [row] = await sql<{ first: Date | null; last: Date | null }[]>`
    select min(u.first_at) as first, max(u.last_at) as last from ${unsafeFacts(sql, filter)} u`;
  return { first_unsafe_at: row?.first?.toISOString() ?? null, last_unsafe_at: row?.last?.toISOString() ?? null };
}
