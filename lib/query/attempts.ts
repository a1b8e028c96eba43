import type { Sql } from '@/db/connect';
import { type AttemptFilter, attemptConditions } from '@/lib/query/attempt-filter';
import { type AttemptRow, attemptItem } from '@/lib/query/attempt-item';
import { encodePageCursor, type PageCursor } from '@/lib/query/page-cursor';
import type { AttemptItem, AttemptPage } from '@/lib/wire/responses';

/** A page of attempts, newest first; `next` leads to the page after it, null at the end. */
export async function queryAttempts(sql: Sql, filter: AttemptFilter, limit: number, after: PageCursor | null): Promise<AttemptPage> {
  // The bound on `at` alone lets Postgres leave out whole days.
  const place =
    after === null ? sql`true` : sql`a.at <= ${new Date(after.atMs)} and (a.at, a.id) < (${new Date(after.atMs)}, ${after.id}::uuid)`;
  const rows = await sql<AttemptRow[]>`
    select a.id, a.at, a.received_at, s.name as server, a.session_ref, a.assessment, a.mark, a.judged_by, a.judgement, a.body
    from attempt a join server s on s.id = a.server_id
    where ${attemptConditions(sql, filter)} and ${place}
    order by a.at desc, a.id desc
    limit ${limit + 1}`;
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const next = rows.length > limit && last !== undefined ? encodePageCursor({ atMs: last.at.getTime(), id: last.id }) : null;
  return { items: page.map(attemptItem), next };
}

/** One attempt, null when there is none of that id. */
export async function queryAttempt(sql: Sql, id: string): Promise<AttemptItem | null> {
  const rows = await sql<AttemptRow[]>`
    select a.id, a.at, a.received_at, s.name as server, a.session_ref, a.assessment, a.mark, a.judged_by, a.judgement, a.body
    from attempt a join server s on s.id = a.server_id
    where a.id = ${id}::uuid
    order by a.at desc
    limit 1`;
  const [row] = rows;
  return row === undefined ? null : attemptItem(row);
}
