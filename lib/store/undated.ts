import type { Sql } from '@/db/connect';
import type { RecordToStore } from '@/lib/store/record-to-store';

/**
 * Gives records that came with an id the instant that they were given when they first arrived, where that may have been another one: they
 * have none, or one that is not believed, or only just is. So a record sent twice meets its own row.
 */
export async function dateUndated(sql: Sql, records: readonly RecordToStore[]): Promise<void> {
  const undated = records.filter((record) => record.hasOwnId && !record.hasSureDate);
  if (undated.length === 0) return;
  const list = JSON.stringify(undated.map(({ id, at }) => ({ id, at: new Date(at).toISOString() })));
  await sql`
    insert into undated_record (id, at)
    select distinct on (id) id, at from json_to_recordset(${list}::text::json) as given (id uuid, at timestamptz) order by id, at
    on conflict do nothing`;
  const rows = await sql<{ id: string; at: Date }[]>`
    select id, at from undated_record where id in (select id from json_to_recordset(${list}::text::json) as given (id uuid))`;
  const instants = new Map(rows.map((row) => [row.id, row.at.getTime()]));
  for (const record of undated) record.at = instants.get(record.id) ?? record.at;
}
