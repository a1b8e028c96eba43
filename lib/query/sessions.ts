import { markOfCode } from '@/db/codes';
import type { Sql } from '@/db/connect';
import { MARKS, type Mark } from '@/lib/resume/mark';
import { sessionLabel } from '@/lib/store/session-ref';
import type { SessionDetail } from '@/lib/wire/responses';

/** Labels and streams that a session's page names; a session with more is abnormal and its records tell. */
const NAMES_MAX = 200;

/** What is known of one session, null when no record names it. */
export async function querySession(sql: Sql, ref: string): Promise<SessionDetail | null> {
  const [row] = await sql<
    { server: string | null; first: Date; last: Date; records: number; attempts: number; generations: string[]; streams: string[] }[]
  >`
    with own as (
      select at, server_id, generation, stream, true as is_attempt from attempt where session_ref = ${ref}::uuid
      union all
      select at, server_id, generation, stream, false from record where session_ref = ${ref}::uuid
    )
    select (select name from server where id = min(own.server_id)) as server, min(at) as first, max(at) as last,
      count(*)::int as records, (count(*) filter (where is_attempt))::int as attempts,
      (select coalesce(json_agg(g), '[]') from (select generation as g from own where generation is not null group by 1 order by min(at) limit ${NAMES_MAX}) x) as generations,
      (select coalesce(json_agg(s), '[]') from (select coalesce(stream, 'get') as s from own group by 1 order by min(at) limit ${NAMES_MAX}) x) as streams
    from own`;
  if (row === undefined || row.server === null) return null;
  return {
    ref,
    label: sessionLabel(ref),
    server: row.server,
    first_at: row.first.toISOString(),
    last_at: row.last.toISOString(),
    records: row.records,
    attempts: row.attempts,
    marks: await queryMarks(sql, ref),
    generations: row.generations,
    streams: row.streams,
  };
}

async function queryMarks(sql: Sql, ref: string): Promise<Record<Mark, number>> {
  const rows = await sql<{ mark: number; attempts: number }[]>`
    select mark, count(*)::int as attempts from attempt where session_ref = ${ref}::uuid group by 1`;
  const counts = new Map(rows.map((row) => [markOfCode(row.mark), row.attempts]));
  return Object.fromEntries(MARKS.map((mark) => [mark, counts.get(mark) ?? 0])) as Record<Mark, number>;
}
