import type { Sql } from '@/db/connect';
import { refOfUuid } from '@/lib/query/attempt-item';
import { encodePageCursor, type PageCursor } from '@/lib/query/page-cursor';
import { sessionLabel } from '@/lib/store/session-ref';
import type { SessionPage } from '@/lib/wire/responses';

/** Which sessions a list is about; null does not restrict. */
export interface SessionFilter {
  readonly servers: readonly string[] | null;
  /** Only sessions with an unsafe resume. */
  readonly isUnsafe: boolean;
  /** Sessions heard of in the period: from inclusive, to exclusive, epoch milliseconds. */
  readonly fromMs: number | null;
  readonly toMs: number | null;
}

/** A page of sessions, the last heard of first; `next` leads to the page after it, null at the end. */
export async function querySessions(sql: Sql, filter: SessionFilter, limit: number, after: PageCursor | null): Promise<SessionPage> {
  const rows = await sql<{ ref: string; server: string; first: Date; last: Date; records: bigint; attempts: bigint; unsafe: bigint }[]>`
    select e.ref, s.name as server, e.first_at as first, e.last_at as last, e.records, e.attempts, e.unsafe
    from session e join server s on s.id = e.server_id
    where ${filter.servers === null ? sql`true` : sql`s.name in ${sql([...filter.servers])}`}
      and ${filter.isUnsafe ? sql`e.unsafe > 0` : sql`true`}
      and ${filter.fromMs === null ? sql`true` : sql`e.last_at >= ${new Date(filter.fromMs)}`}
      and ${filter.toMs === null ? sql`true` : sql`e.first_at < ${new Date(filter.toMs)}`}
      and ${after === null ? sql`true` : sql`(e.last_at, e.ref) < (${new Date(after.atMs)}, ${after.id}::uuid)`}
    order by e.last_at desc, e.ref desc
    limit ${limit + 1}`;
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const items = page.map((row) => ({
    ref: refOfUuid(row.ref),
    label: sessionLabel(refOfUuid(row.ref)),
    server: row.server,
    first_at: row.first.toISOString(),
    last_at: row.last.toISOString(),
    records: Number(row.records),
    attempts: Number(row.attempts),
    unsafe: Number(row.unsafe),
  }));
  return { items, next: rows.length > limit && last !== undefined ? encodePageCursor({ atMs: last.last.getTime(), id: last.ref }) : null };
}
