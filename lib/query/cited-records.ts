import type { Sql } from '@/db/connect';
import type { FindingDetail } from '@/lib/audit/answer-schema';
import { parseJsonExactly } from '@/lib/base/json';
import { refOfUuid } from '@/lib/query/attempt-item';

/** Records of a server by their places, in order; those that are no longer retained are missing. */
export async function queryCitedRecords(sql: Sql, server: number, places: readonly number[]): Promise<FindingDetail['records']> {
  const rows = await sql<{ place: bigint; id: string; at: Date; session_ref: string | null; body: string }[]>`
    select place, id, at, session_ref, body from attempt where server_id = ${server} and place in ${sql([...places])}
    union all
    select place, id, at, session_ref, body from record where server_id = ${server} and place in ${sql([...places])}
    order by place`;
  return rows.map((row) => {
    // The body was validated before it was stored, and nothing else writes it.
    const record = parseJsonExactly(row.body) as { type: string };
    const session = row.session_ref === null ? {} : { session: refOfUuid(row.session_ref) };
    return { index: Number(row.place), id: row.id, at: row.at.toISOString(), record: { ...record, ...session } };
  });
}
