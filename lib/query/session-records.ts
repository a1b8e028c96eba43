import { RECORD_TYPE_CODES } from '@/db/codes';
import type { Sql } from '@/db/connect';
import { parseJsonExactly } from '@/lib/base/json';
import { attemptItem, refOfUuid } from '@/lib/query/attempt-item';
import type { TelemetryRecord } from '@/lib/wire/schema';

/** Records of one session that an answer takes into account; a longer session is told from its beginning. */
export const SESSION_RECORDS_MAX = 200_000;

interface StoredRecord {
  readonly arrival: bigint;
  readonly id: string;
  readonly at: Date;
  readonly received_at: Date;
  readonly server: string;
  readonly session_ref: string | null;
  readonly assessment: number | null;
  readonly mark: number | null;
  readonly judged_by: number;
  readonly judgement: string | null;
  readonly body: string;
}

/**
 * All that was stored of a session in the order it arrived, with the boots of its server meanwhile, since a boot
 * may renumber it. Attempts carry their judgement beside the members of their record; a session token is its
 * reference.
 */
export async function querySessionRecords(sql: Sql, ref: string): Promise<TelemetryRecord[]> {
  const rows = await sql<StoredRecord[]>`
    with own as (
      select arrival, id, at, received_at, server_id, session_ref, assessment, mark, judged_by, judgement, body from attempt where session_ref = ${ref}::uuid
      union all
      select arrival, id, at, received_at, server_id, session_ref, null, null, 0, null, body from record where session_ref = ${ref}::uuid
      order by arrival limit ${SESSION_RECORDS_MAX}
    ),
    span as (select min(arrival) as first, max(arrival) as last, min(server_id) as server_id from own),
    boots as (
      select b.arrival, b.id, b.at, b.received_at, b.server_id, b.session_ref, null::smallint, null::smallint, 0, null, b.body
      from record b, span
      where b.session_ref is null and b.arrival between span.first and span.last and b.server_id = span.server_id
        and b.type = ${RECORD_TYPE_CODES.boot}
      order by b.arrival limit ${SESSION_RECORDS_MAX}
    )
    select r.*, s.name as server from (select * from own union all select * from boots) r join server s on s.id = r.server_id
    order by r.arrival`;
  return rows.map(recordOf);
}

/** Changes whenever a session was heard of again, or an attempt of it was judged anew. */
export async function querySessionMark(sql: Sql, ref: string): Promise<string> {
  const [row] = await sql<{ mark: string }[]>`
    select concat_ws('/',
      (select concat_ws('-', count(*), max(arrival), sum(assessment), sum(mark), sum(length(judgement))) from attempt where session_ref = ${ref}::uuid),
      (select concat_ws('-', count(*), max(arrival)) from record where session_ref = ${ref}::uuid)) as mark`;
  return row?.mark ?? '';
}

function recordOf(row: StoredRecord): TelemetryRecord {
  const { assessment, mark } = row;
  if (assessment !== null && mark !== null) return attemptItem({ ...row, assessment, mark });
  // The body was validated before it was stored, and nothing else writes it.
  const record = parseJsonExactly(row.body) as TelemetryRecord;
  const session = row.session_ref === null ? {} : { session: refOfUuid(row.session_ref) };
  return { ...record, id: row.id, at: row.at.toISOString(), server: row.server, ...session };
}
