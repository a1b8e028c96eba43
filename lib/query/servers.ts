import { MARK_CODES } from '@/db/codes';
import type { Sql } from '@/db/connect';
import { attemptFactsSource, outcomeSums } from '@/lib/query/attempt-facts-source';
import { type AttemptFilter, attemptConditions } from '@/lib/query/attempt-filter';
import { encodeCount, type OutcomeCount, tally } from '@/lib/query/measures';
import type { PeriodFilter } from '@/lib/query/summary';
import type { ServerItem, ServerList } from '@/lib/wire/responses';

interface ServerFacts {
  readonly server: string;
  readonly sessions: number;
  readonly nodes: number;
  readonly first_unsafe: Date | null;
  readonly last_seen: Date;
  readonly lead_min: bigint | null;
  readonly kept_max: string | null;
  readonly needed_max: string | null;
}

/** Servers with attempts in a period, the most troubled first. */
export async function queryServers(sql: Sql, filter: PeriodFilter): Promise<ServerList> {
  const [facts, counts] = await Promise.all([queryFacts(sql, filter), queryCounts(sql, filter)]);
  const byServer = new Map<string, OutcomeCount[]>();
  for (const count of counts) byServer.set(count.server, [...(byServer.get(count.server) ?? []), count]);
  const items = facts.map((row) => serverItem(row, byServer.get(row.server) ?? []));
  return { items: items.sort((a, b) => trouble(b) - trouble(a) || b.attempts - a.attempts || (a.server < b.server ? -1 : 1)) };
}

function serverItem(row: ServerFacts, counts: readonly OutcomeCount[]): ServerItem {
  const total = tally(counts);
  return {
    server: row.server,
    attempts: total.attempts,
    sessions: row.sessions,
    nodes: row.nodes,
    marks: total.marks,
    resume_unavailable: total.resumeUnavailable,
    events_lost: encodeCount(total.eventsLost),
    first_unsafe_at: row.first_unsafe?.toISOString() ?? null,
    last_seen_at: row.last_seen.toISOString(),
    lead_min: row.lead_min === null ? null : encodeCount(row.lead_min),
    kept_max: row.kept_max === null ? null : encodeCount(BigInt(row.kept_max)),
    needed_max: row.needed_max === null ? null : encodeCount(BigInt(row.needed_max)),
  };
}

const trouble = ({ marks }: ServerItem): number => marks.unsafe_resume + marks.bad_replay;

function queryCounts(sql: Sql, filter: AttemptFilter): Promise<(OutcomeCount & { readonly server: string })[]> {
  return sql`
    select s.name as server, ${outcomeSums(sql)}
    from ${attemptFactsSource(sql, filter)} f join server s on s.id = f.server_id
    group by s.name, f.reason, f.assessment`;
}

function queryFacts(sql: Sql, filter: AttemptFilter): Promise<ServerFacts[]> {
  return sql<ServerFacts[]>`
    select s.name as server, count(distinct a.session_ref)::int as sessions, count(distinct a.node_id)::int as nodes,
      min(a.at) filter (where a.mark = ${MARK_CODES.unsafe_resume}) as first_unsafe, max(a.at) as last_seen,
      min(a.lead) filter (where a.mark = ${MARK_CODES.resumed}) as lead_min,
      max(a.head::numeric - a.floor + 1)::text as kept_max,
      (max(a.head::numeric - a.cursor) filter (where a.cursor <= a.head))::text as needed_max
    from attempt a join server s on s.id = a.server_id
    where ${attemptConditions(sql, filter)}
    group by s.name`;
}
