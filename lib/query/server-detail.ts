import { markOfCode, RECORD_TYPE_CODES } from '@/db/codes';
import type { Sql } from '@/db/connect';
import { parseJsonExactly } from '@/lib/base/json';
import { noSequels, queryAfterRefusals } from '@/lib/query/after-refusals';
import type { PeriodFilter } from '@/lib/query/attempt-facts-source';
import { encodeCount } from '@/lib/query/measures';
import { queryServers } from '@/lib/query/servers';
import { MARKS, type Mark } from '@/lib/resume/mark';
import type { Period } from '@/lib/rollup/period-parts';
import { readIdShape } from '@/lib/wire/id-shape';
import type { ServerDetail } from '@/lib/wire/responses';
import type { ResumeAttemptRecord } from '@/lib/wire/schema';

/** Newest attempts that a server's page is read from: enough for shares, and a bound on what one look costs. */
const ATTEMPTS_MAX = 50_000;
const NAMES_MAX = 100;
/** Newest attempts whose presented ids are looked at. */
const IDS_MAX = 500;

/** What a server's page tells of a period; null when no record ever named the server. */
export async function queryServerDetail(sql: Sql, name: string, filter: PeriodFilter): Promise<ServerDetail | null> {
  const [server] = await sql<{ id: number }[]>`select id from server where name = ${name}`;
  if (server === undefined) return null;
  const newest = newestAttempts(sql, server.id, filter);
  const [list, nodes, generations, boots, retention, clients, after, eras, ids] = await Promise.all([
    queryServers(sql, filter),
    queryNodes(sql, server.id, filter),
    queryGenerations(sql, newest),
    queryBoots(sql, server.id, filter),
    queryRetention(sql, newest),
    queryClients(sql, newest),
    queryAfterRefusals(sql, server.id, filter),
    queryEras(sql, newest),
    queryIdShapes(sql, server.id, filter),
  ]);
  const read = eras.reduce((sum, era) => sum + era.attempts, 0);
  return {
    server: name,
    totals: list.items.find((item) => item.server === name) ?? null,
    attempts_read: read,
    is_whole: read < ATTEMPTS_MAX,
    nodes,
    generations,
    boots,
    retention,
    clients: clients.map((client) => ({ ...client, after_refusal: after.get(client.client) ?? noSequels() })),
    eras,
    id_shapes: ids,
  };
}

type Newest = ReturnType<typeof newestAttempts>;

function newestAttempts(sql: Sql, serverId: number, { fromMs, toMs }: Period) {
  return sql`(
    select * from attempt where server_id = ${serverId} and at >= ${new Date(fromMs)} and at < ${new Date(toMs)}
    order by at desc limit ${ATTEMPTS_MAX})`;
}

async function queryNodes(sql: Sql, serverId: number, { fromMs, toMs }: Period): Promise<ServerDetail['nodes']> {
  const rows = await sql<{ node: string; first: Date; last: Date; records: bigint }[]>`
    select n.name as node, x.first_at as first, x.last_at as last, x.records
    from server_node x join node n on n.id = x.node_id
    where x.server_id = ${serverId} and x.first_at < ${new Date(toMs)} and x.last_at >= ${new Date(fromMs)}
    order by x.last_at desc, n.name limit ${NAMES_MAX}`;
  return rows.map(({ node, first, last, records }) => ({
    node,
    first_at: first.toISOString(),
    last_at: last.toISOString(),
    records: Number(records),
  }));
}

async function queryGenerations(sql: Sql, newest: Newest): Promise<ServerDetail['generations']> {
  const rows = await sql<{ generation: string; first: Date; last: Date; attempts: number }[]>`
    select a.generation, min(a.at) as first, max(a.at) as last, count(*)::int as attempts
    from ${newest} a where a.generation is not null
    group by 1 order by 3 desc, 1 limit ${NAMES_MAX}`;
  return rows.reverse().map(({ generation, first, last, attempts }) => ({
    generation,
    first_at: first.toISOString(),
    last_at: last.toISOString(),
    attempts,
  }));
}

async function queryBoots(sql: Sql, serverId: number, { fromMs, toMs }: Period): Promise<ServerDetail['boots']> {
  const rows = await sql<{ at: Date; node: string | null; generation: string | null }[]>`
    select r.at, n.name as node, r.generation
    from record r left join node n on n.id = r.node_id
    where r.server_id = ${serverId} and r.type = ${RECORD_TYPE_CODES.boot} and r.at >= ${new Date(fromMs)} and r.at < ${new Date(toMs)}
    order by r.at desc limit ${NAMES_MAX}`;
  return rows.reverse().map(({ at, node, generation }) => ({ at: at.toISOString(), node, generation }));
}

async function queryRetention(sql: Sql, newest: Newest): Promise<ServerDetail['retention']> {
  const [row] = await sql<
    {
      kept_min: bigint | null;
      kept_median: bigint | null;
      needed_median: bigint | null;
      needed_p95: bigint | null;
      needed_max: bigint | null;
      measured: number;
      served_whole: number;
    }[]
  >`
    select min(kept) as kept_min, percentile_disc(0.5) within group (order by kept) as kept_median,
      percentile_disc(0.5) within group (order by needed) as needed_median, percentile_disc(0.95) within group (order by needed) as needed_p95,
      max(needed) as needed_max, count(needed)::int as measured, (count(*) filter (where needed is not null and gap_count = 0))::int as served_whole
    from (select a.head - a.floor + 1 as kept, case when a.cursor <= a.head then a.head - a.cursor end as needed, coalesce(a.gap_count, 0) as gap_count
      from ${newest} a where a.head is not null) x`;
  const told = (count: bigint | null | undefined) => (count === null || count === undefined ? null : encodeCount(count));
  return {
    kept_min: told(row?.kept_min),
    kept_median: told(row?.kept_median),
    needed_median: told(row?.needed_median),
    needed_p95: told(row?.needed_p95),
    needed_max: told(row?.needed_max),
    measured: row?.measured ?? 0,
    served_whole: row?.served_whole ?? 0,
  };
}

async function queryClients(sql: Sql, newest: Newest): Promise<Omit<ServerDetail['clients'][number], 'after_refusal'>[]> {
  const rows = await sql<{ client: string | null; mark: number; attempts: number }[]>`
    select c.name as client, a.mark::int, count(*)::int as attempts
    from ${newest} a left join client c on c.id = a.client_id group by 1, 2`;
  const sessions = await sql<{ client: string | null; sessions: number }[]>`
    select c.name as client, count(distinct a.session_ref)::int as sessions
    from ${newest} a left join client c on c.id = a.client_id group by 1 order by count(*) desc limit ${NAMES_MAX}`;
  return sessions.map(({ client, sessions: count }) => {
    const own = rows.filter((row) => row.client === client);
    const of = new Map(own.map((row) => [markOfCode(row.mark), row.attempts]));
    const marks = Object.fromEntries(MARKS.map((mark) => [mark, of.get(mark) ?? 0])) as Record<Mark, number>;
    return { client, sessions: count, attempts: own.reduce((sum, row) => sum + row.attempts, 0), marks };
  });
}

async function queryEras(sql: Sql, newest: Newest): Promise<ServerDetail['eras']> {
  const rows = await sql<{ protocol_version: string | null; attempts: number }[]>`
    select a.protocol_version, count(*)::int as attempts from ${newest} a group by 1 order by 2 desc, 1 limit ${NAMES_MAX}`;
  return [...rows];
}

async function queryIdShapes(sql: Sql, serverId: number, { fromMs, toMs }: Period): Promise<ServerDetail['id_shapes']> {
  const rows = await sql<{ body: string }[]>`
    select body from attempt where server_id = ${serverId} and at >= ${new Date(fromMs)} and at < ${new Date(toMs)}
    order by at desc limit ${IDS_MAX}`;
  const shapes = new Map<string | null, { example: string; attempts: number }>();
  for (const { body } of rows) {
    // The body was validated before it was stored, and nothing else writes it.
    const { last_event_id: id } = parseJsonExactly(body) as ResumeAttemptRecord;
    if (id === null || id === undefined || id === '') continue;
    // A part that names the stream differs from id to id and is no part of the shape.
    const shape = readIdShape(id)?.label.replaceAll(UUID, 'uuid') ?? null;
    const seen = shapes.get(shape);
    shapes.set(shape, { example: seen?.example ?? id, attempts: (seen?.attempts ?? 0) + 1 });
  }
  return [...shapes].map(([shape, seen]) => ({ shape, ...seen })).sort((a, b) => b.attempts - a.attempts);
}

const UUID = /[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}/gi;
