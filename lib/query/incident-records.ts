import type { Sql } from '@/db/connect';
import { mayHoldLongInteger, parseJsonExactly } from '@/lib/base/json';
import { plainRecord } from '@/lib/query/plain-record';
import type { TelemetryRecord } from '@/lib/wire/schema';

interface PinnedRow {
  readonly record_id: string;
  readonly at: Date | null;
  readonly session_ref: string | null;
  readonly body: string;
  readonly server: string;
}

/** Rows that one statement of a reader over all pinned records brings. */
const ROWS_PER_READ = 10_000;

/** Pinned records of an incident in their order, from place `first` on. */
export async function queryPinnedRecords(sql: Sql, id: string, first: number, limit: number): Promise<TelemetryRecord[]> {
  return (await queryPinnedRows(sql, id, first, limit)).map(recordOf);
}

const queryPinnedRows = (sql: Sql, id: string, first: number, limit: number) => sql<PinnedRow[]>`
  select r.record_id, r.at, r.session_ref, r.body, i.server
  from incident_record r join incident i on i.id = r.incident_id
  where r.incident_id = ${id}::uuid
  order by r.place, r.record_id
  offset ${first} limit ${limit}`;

/** The same as JSON text, one record each. What was imported is sent as it is kept, which spares a long history its reading. */
export async function queryPinnedLines(sql: Sql, id: string, first: number, limit: number): Promise<string[]> {
  const rows = await queryPinnedRows(sql, id, first, limit);
  return rows.map((row) => (row.at === null && !mayHoldLongInteger(row.body) ? row.body : JSON.stringify(recordOf(row))));
}

/** All pinned records of an incident, in their order. */
export async function queryAllPinnedRecords(sql: Sql, id: string): Promise<TelemetryRecord[]> {
  const records: TelemetryRecord[] = [];
  for (;;) {
    const page = await queryPinnedRecords(sql, id, records.length, ROWS_PER_READ);
    for (const record of page) records.push(record);
    if (page.length < ROWS_PER_READ) return records;
  }
}

/** The body of an imported record is all of it. */
function recordOf({ record_id, at, session_ref, body, server }: PinnedRow): TelemetryRecord {
  // Validated before it was stored.
  if (at === null) return parseJsonExactly(body) as TelemetryRecord;
  return plainRecord({ id: record_id, at, session_ref, body }, server);
}
