import type { Sql } from '@/db/connect';
import type { AttemptFilter } from '@/lib/query/attempt-filter';
import { namesList } from '@/lib/query/names-list';
import type { Period } from '@/lib/rollup/period-parts';
import type { Blindness } from '@/lib/wire/responses';

/** Which losses are asked for. */
export type Concerned = Pick<AttemptFilter, 'servers' | 'project'>;

/** Stretches that an answer names; with more, the closest are told as one. */
const STRETCHES_MAX = 200;

/**
 * When telemetry of a period is known to be missing, and how much of it. A loss concerns the server that it is
 * about; where none is known, those that its producer has ever sent records of for its project, and all of the project where it has sent none.
 */
export async function queryBlindness(sql: Sql, filter: Period & Concerned): Promise<Blindness> {
  const { fromMs, toMs } = filter;
  const losses = sql`
    telemetry_loss l
    where l.since < ${new Date(toMs)} and l.until >= ${new Date(fromMs)} and ${concerns(sql, filter)}`;
  const [[sums], stretches] = await Promise.all([
    sql<{ batches: string; records: string; rejected: string }[]>`
      select coalesce(sum(l.last - l.first + 1), 0)::text as batches, coalesce(sum(l.records), 0)::text as records,
        coalesce(sum(l.records) filter (where l.is_rejected), 0)::text as rejected
      from ${losses}`,
    sql<{ since: Date; until: Date }[]>`
      select lower(r) as since, upper(r) as until
      from (select unnest(range_agg(tstzrange(l.since, l.until, '[]'))) as r from ${losses}) merged order by 1`,
  ]);
  const blind = fewer(
    stretches.map(({ since, until }) => ({ fromMs: Math.max(since.getTime(), fromMs), toMs: Math.min(until.getTime(), toMs) })),
    STRETCHES_MAX,
  );
  return {
    at_least: stretches.length > 0,
    blind: blind.map((stretch) => ({ from: new Date(stretch.fromMs).toISOString(), to: new Date(stretch.toMs).toISOString() })),
    lost_batches: Number(sums?.batches ?? 0),
    dropped_records: Number(sums?.records ?? 0),
    rejected_records: Number(sums?.rejected ?? 0),
  };
}

/** Names of the servers that a loss of the period concerns. */
export async function queryBlindServers(sql: Sql, { fromMs, toMs }: Period): Promise<ReadonlySet<string>> {
  const rows = await sql<{ server: string }[]>`
    with losses as (
        select distinct l.project_id, l.producer, l.server_id from telemetry_loss l
        where l.since < ${new Date(toMs)} and l.until >= ${new Date(fromMs)}),
      concerned as (
        select server_id from losses where server_id <> 0
        union
        select p.server_id from losses l join producer_server p on p.project_id = l.project_id and p.producer = l.producer where l.server_id = 0
        union
        select s.id from losses l join server s on s.project_id = l.project_id
        where l.server_id = 0 and not exists (select from producer_server p where p.project_id = l.project_id and p.producer = l.producer))
    select s.name as server from concerned c join server s on s.id = c.server_id`;
  return new Set(rows.map(({ server }) => server));
}

function concerns(sql: Sql, { servers, project }: Concerned) {
  if (servers === null) return sql`true`;
  const named = namesList(sql, servers);
  return sql`(
    ${project === undefined ? sql`false` : sql`l.project_id = ${project}`}
    or l.server_id <> 0 and exists (select from server s where s.id = l.server_id and s.name in ${named})
    or l.server_id = 0 and (
      exists (select from producer_server p join server s on s.id = p.server_id
        where p.project_id = l.project_id and p.producer = l.producer and s.name in ${named})
      or not exists (select from producer_server p where p.project_id = l.project_id and p.producer = l.producer)
        and exists (select from server s where s.project_id = l.project_id and s.name in ${named})))`;
}

/** At most `max` stretches that cover all of the given ones, which are in order and apart: the narrowest gaps are closed first. */
export function fewer(stretches: readonly Period[], max: number): Period[] {
  if (stretches.length <= max) return [...stretches];
  const gaps = stretches.slice(1).map((stretch, index) => ({ index, ms: stretch.fromMs - (stretches[index]?.toMs ?? 0) }));
  const closed = new Set(
    gaps
      .sort((a, b) => a.ms - b.ms)
      .slice(0, stretches.length - max)
      .map(({ index }) => index),
  );
  const merged: { fromMs: number; toMs: number }[] = [];
  for (const [index, stretch] of stretches.entries()) {
    const last = merged.at(-1);
    if (last !== undefined && closed.has(index - 1)) last.toMs = stretch.toMs;
    else merged.push({ ...stretch });
  }
  return merged;
}
