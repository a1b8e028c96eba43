import { RECORD_TYPE_CODES } from '@/db/codes';
import type { Sql } from '@/db/connect';
import { parseJsonExactly } from '@/lib/base/json';
import { plainRecord, type StoredBody } from '@/lib/query/plain-record';
import { SESSION_RECORDS_MAX } from '@/lib/query/session-records';
import type { ResumeAttemptRecord, TelemetryRecord } from '@/lib/wire/schema';

/** A server's records of a period, epoch milliseconds: from inclusive, to exclusive. */
export interface ServerPeriod {
  readonly server: string;
  readonly fromMs: number;
  readonly toMs: number;
}

/** A page is decided and forgotten before the collector has to look after it: larger ones cost half as much again. */
const ROWS_PER_READ = 2_500;

/** All that was stored of a session in the order it arrived, with the boots of its server meanwhile, as it was sent. */
export async function querySessionHistory(sql: Sql, ref: string): Promise<TelemetryRecord[]> {
  const rows = await sql<(StoredBody & { server: string })[]>`
    with own as (
      select arrival, id, at, server_id, session_ref, body from attempt where session_ref = ${ref}::uuid
      union all
      select arrival, id, at, server_id, session_ref, body from record where session_ref = ${ref}::uuid
      order by arrival limit ${SESSION_RECORDS_MAX}
    ),
    span as (select min(arrival) as first, max(arrival) as last, min(server_id) as server_id from own),
    boots as (
      select b.arrival, b.id, b.at, b.server_id, b.session_ref, b.body from record b, span
      where b.session_ref is null and b.arrival between span.first and span.last and b.server_id = span.server_id
        and b.type = ${RECORD_TYPE_CODES.boot}
      order by b.arrival limit ${SESSION_RECORDS_MAX}
    )
    select r.*, s.name as server from (select * from own union all select * from boots) r join server s on s.id = r.server_id
    order by r.arrival`;
  return rows.map((row) => plainRecord(row, row.server));
}

/** How many records of any type a server has in a period, counted up to `max`. */
export async function countServerRecords(sql: Sql, { server, fromMs, toMs }: ServerPeriod, max: number): Promise<number> {
  const [row] = await sql<{ records: number }[]>`
    with own as (select id from server where name = ${server}),
    attempts as (
      select from attempt a, own where a.server_id = own.id and a.at >= ${new Date(fromMs)} and a.at < ${new Date(toMs)} limit ${max}
    ),
    others as (
      select from record r, own where r.server_id = own.id and r.at >= ${new Date(fromMs)} and r.at < ${new Date(toMs)} limit ${max}
    )
    select least((select count(*) from attempts) + (select count(*) from others), ${max})::int as records`;
  return row?.records ?? 0;
}

/** All records of a server in a period, in the order they arrived. */
export async function queryServerHistory(sql: Sql, { server, fromMs, toMs }: ServerPeriod): Promise<TelemetryRecord[]> {
  const rows = await sql<StoredBody[]>`
    with own as (select id from server where name = ${server})
    select a.arrival, a.id, a.at, a.session_ref, a.body from attempt a, own
    where a.server_id = own.id and a.at >= ${new Date(fromMs)} and a.at < ${new Date(toMs)}
    union all
    select r.arrival, r.id, r.at, r.session_ref, r.body from record r, own
    where r.server_id = own.id and r.at >= ${new Date(fromMs)} and r.at < ${new Date(toMs)}
    order by arrival, id`;
  return rows.map((row) => plainRecord(row, server));
}

/** Attempts with their ids, in the order of both. */
export interface AttemptPage {
  readonly ids: readonly string[];
  readonly records: readonly ResumeAttemptRecord[];
}

interface PageRow {
  readonly bodies: string | null;
  readonly ids: string | null;
  readonly last_at: string | null;
}

/**
 * The attempts of a server in a period alone, oldest first, some thousand at a time, so that a million need no room.
 * Records are as their bodies tell, without session and server.
 */
export async function* readServerAttempts(sql: Sql, { server, fromMs, toMs }: ServerPeriod): AsyncGenerator<AttemptPage> {
  const [own] = await sql<{ id: number }[]>`select id from server where name = ${server}`;
  if (own === undefined) return;
  // One statement a page: none runs long, however long the period is. A page is one value: a row for each attempt costs
  // the driver more than all that is done with it. Aggregates take the rows in the order of the subquery.
  const read = (at: string, id: string) =>
    sql<PageRow[]>`
    select '[' || string_agg(page.body, ',') || ']' as bodies,
      string_agg(page.id::text, ',') as ids, max(page.at)::text as last_at
    from (
      select a.id, a.at, a.body from attempt a
      where a.server_id = ${own.id} and a.at >= ${at}::timestamptz and a.at < ${new Date(toMs)} and (a.at, a.id) > (${at}::timestamptz, ${id}::uuid)
      order by a.at, a.id limit ${ROWS_PER_READ}
    ) page`.execute();
  let next = read(new Date(fromMs).toISOString(), NO_ID);
  for (;;) {
    const [row] = await next;
    if (row === undefined || row.bodies === null || row.ids === null || row.last_at === null) return;
    const ids = row.ids.split(',');
    const isLast = ids.length < ROWS_PER_READ;
    // The database reads the next page while this one is decided.
    if (!isLast) next = read(row.last_at, ids.at(-1) ?? NO_ID);
    // The bodies were validated before they were stored, nothing else writes them, and the table holds nothing else.
    yield { ids, records: parseJsonExactly(row.bodies) as ResumeAttemptRecord[] };
    if (isLast) return;
  }
}

const NO_ID = '00000000-0000-0000-0000-000000000000';
