import { FINDING_CODES, MARK_CODES } from '@/db/codes';
import type { Sql } from '@/db/connect';
import { FINDING_GROUPS } from '@/lib/audit/finding';
import { attemptFactsSource, isRolledUp, outcomeSums, type PeriodFilter } from '@/lib/query/attempt-facts-source';
import { attemptConditions, ofServers, tellsOutcomes } from '@/lib/query/attempt-filter';
import { queryBlindServers } from '@/lib/query/blindness';
import { findingConditions, findingsOf } from '@/lib/query/finding-filter';
import { encodeCount, type OutcomeCount, tally } from '@/lib/query/measures';
import { type LossIncidentRow, lossIncidentOf, lossIncidents } from '@/lib/query/open-incidents';
import { sessionCounts } from '@/lib/query/session-count';
import { unsafeFacts } from '@/lib/query/unsafe-facts';
import { HOUR_MS } from '@/lib/rollup/increments';
import { type Period, periodParts } from '@/lib/rollup/period-parts';
import type { ServerItem, ServerList } from '@/lib/wire/responses';

interface ServerFacts extends LossIncidentRow {
  readonly server: string;
  readonly sessions: number;
  readonly nodes: number;
  readonly findings: number;
  readonly loss_findings: number;
  readonly first_unsafe: Date | null;
  readonly last_unsafe: Date | null;
  readonly last_seen: Date;
  readonly lead_min: bigint | null;
  readonly kept_max: string | null;
  readonly needed_max: string | null;
}

const LOSS_CODES = FINDING_GROUPS.loss.map((code) => FINDING_CODES[code]);
const BIGINT_MAX = '9223372036854775807';

/** Servers of a period, the most troubled first. */
export async function queryServers(sql: Sql, filter: PeriodFilter): Promise<ServerList> {
  const [facts, counts, blind] = await Promise.all([queryFacts(sql, filter), queryCounts(sql, filter), queryBlindServers(sql, filter)]);
  const byServer = new Map<string, OutcomeCount[]>();
  for (const count of counts) byServer.set(count.server, [...(byServer.get(count.server) ?? []), count]);
  const items = facts.map((row) => serverItem(row, byServer.get(row.server) ?? [], blind.has(row.server)));
  return { items: items.sort((a, b) => trouble(b) - trouble(a) || b.attempts - a.attempts || (a.server < b.server ? -1 : 1)) };
}

function serverItem(row: ServerFacts, counts: readonly OutcomeCount[], isAtLeast: boolean): ServerItem {
  const total = tally(counts);
  return {
    server: row.server,
    attempts: total.attempts,
    sessions: row.sessions,
    nodes: row.nodes,
    marks: total.marks,
    resume_unavailable: total.resumeUnavailable,
    events_lost: encodeCount(total.eventsLost),
    findings: row.findings,
    loss_findings: row.loss_findings,
    first_unsafe_at: row.first_unsafe?.toISOString() ?? null,
    last_unsafe_at: row.last_unsafe?.toISOString() ?? null,
    loss_incident: lossIncidentOf(row),
    at_least: isAtLeast,
    last_seen_at: row.last_seen.toISOString(),
    lead_min: row.lead_min === null ? null : encodeCount(row.lead_min),
    kept_max: row.kept_max === null ? null : encodeCount(BigInt(row.kept_max)),
    needed_max: row.needed_max === null ? null : encodeCount(BigInt(row.needed_max)),
  };
}

const trouble = ({ marks }: ServerItem): number => marks.unsafe_resume + marks.bad_replay;

function queryCounts(sql: Sql, filter: PeriodFilter): Promise<(OutcomeCount & { readonly server: string })[]> {
  return sql`
    select s.name as server, ${outcomeSums(sql)}
    from ${attemptFactsSource(sql, filter, { stepMs: null, byServer: true })} f join server s on s.id = f.server_id
    group by s.name, f.reason, f.assessment`;
}

/** Servers that were heard of in the period, whether or not a client tried to resume. */
async function queryFacts(sql: Sql, filter: PeriodFilter): Promise<ServerFacts[]> {
  const [from, to] = [new Date(filter.fromMs), new Date(filter.toMs)];
  return sql<ServerFacts[]>`
    with extremes as (select e.server_id, min(e.lead_min) as lead_min, max(e.kept_max) as kept_max, max(e.needed_max) as needed_max
        from ${extremeFacts(sql, filter)} e group by 1),
      sessions as (select c.server_id, sum(c.sessions)::int as sessions from ${sessionCounts(sql, filter, 'any')} c group by 1),
      unsafe as (select f.server_id, min(f.first_at) as first, max(f.last_at) as last from ${unsafeFacts(sql, filter)} f group by 1),
      nodes as (select server_id, count(*)::int as nodes from server_node where first_at < ${to} and last_at >= ${from} group by 1),
      found as (select f.server_id, count(*)::int as findings,
          count(*) filter (where f.code in ${sql(LOSS_CODES)})::int as loss_findings
        from finding f where ${findingConditions(sql, findingsOf(filter))} group by 1)
    select s.name as server, coalesce(n.sessions, 0) as sessions, coalesce(o.nodes, 0) as nodes,
      coalesce(g.findings, 0) as findings, coalesce(g.loss_findings, 0) as loss_findings, u.first as first_unsafe, u.last as last_unsafe,
      v.last_at as last_seen, e.lead_min, e.kept_max::text, e.needed_max::text, i.*
    from server_activity v join server s on s.id = v.server_id
      left join extremes e on e.server_id = s.id left join sessions n on n.server_id = s.id
      left join unsafe u on u.server_id = s.id left join nodes o on o.server_id = s.id
      left join found g on g.server_id = s.id left join ${lossIncidents(sql)} i on i.loss_server = s.name
    where v.first_at < ${to} and v.last_at >= ${from} and ${ofServers(sql, filter, 'v')}`;
}

/** Lead, kept and needed positions of attempts by server: hourly extremes, and the rows at the period's edges. */
function extremeFacts(sql: Sql, filter: PeriodFilter) {
  const rows = (period: Period) => sql`
    select a.server_id, case when a.mark = ${MARK_CODES.resumed} then a.lead end as lead_min,
      case when a.head is not null and a.floor is not null then least(a.head::numeric - a.floor + 1, ${BIGINT_MAX}::numeric)::bigint end as kept_max,
      case when a.cursor <= a.head then a.head - a.cursor end as needed_max
    from attempt a where ${attemptConditions(sql, { ...filter, ...period })}`;
  if (!isRolledUp(filter) || tellsOutcomes(filter)) return sql`(${rows(filter)})`;
  const { inner, edges } = periodParts(filter, HOUR_MS);
  const parts = edges.map(rows);
  if (inner !== null) {
    parts.push(sql`
      select r.server_id, r.lead_min, r.kept_max, r.needed_max from server_hour r
      where r.bucket >= ${new Date(inner.fromMs)} and r.bucket < ${new Date(inner.toMs)}`);
  }
  return sql`(${parts.reduce((all, next) => sql`${all} union all ${next}`)})`;
}
