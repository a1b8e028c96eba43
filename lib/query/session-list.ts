import type { Sql } from '@/db/connect';
import { ofServers } from '@/lib/query/attempt-filter';
import { refOfUuid } from '@/lib/query/attempt-item';
import { encodePageCursor, type PageCursor } from '@/lib/query/page-cursor';
import { sessionLabel } from '@/lib/store/session-ref';
import type { SessionFacets, SessionPage } from '@/lib/wire/responses';

/** Which sessions a list is about; null does not restrict. */
export interface SessionFilter {
  readonly servers: readonly string[] | null;
  /** What is left out. */
  readonly not: { readonly servers: readonly string[] | null };
  /** Only sessions with an unsafe resume, or only those without; null does not restrict. */
  readonly isUnsafe: boolean | null;
  /** Sessions heard of in the period: from inclusive, to exclusive, epoch milliseconds. */
  readonly fromMs: number | null;
  readonly toMs: number | null;
}

interface SessionRow {
  readonly ref: string;
  readonly server: string;
  readonly first: Date;
  readonly last: Date;
  readonly records: bigint;
  readonly attempts: bigint;
  readonly unsafe: bigint;
  readonly findings: number;
}

/** A page of sessions, the last heard of first; `next` leads to the page after it, null at the end. */
export async function querySessions(sql: Sql, filter: SessionFilter, limit: number, after: PageCursor | null): Promise<SessionPage> {
  const rows = await sql<SessionRow[]>`
    select e.ref, s.name as server, e.first_at as first, e.last_at as last, e.records, e.attempts, e.unsafe,
      (select count(*)::int from finding f where f.session_ref = e.ref) as findings
    from session e join server s on s.id = e.server_id
    where ${conditions(sql, filter)}
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
    findings: row.findings,
  }));
  return { items, next: rows.length > limit && last !== undefined ? encodePageCursor({ atMs: last.last.getTime(), id: last.ref }) : null };
}

/** How many sessions the filter lets through, how many of them had an unsafe resume, and where. */
export async function querySessionFacets(sql: Sql, filter: SessionFilter): Promise<SessionFacets> {
  const rows = await sql<{ server: string; sessions: number; unsafe: number }[]>`
    select s.name as server, count(*)::int as sessions, (count(*) filter (where e.unsafe > 0))::int as unsafe
    from session e join server s on s.id = e.server_id
    where ${conditions(sql, filter)}
    group by 1 order by 2 desc, 1`;
  const sum = (member: 'sessions' | 'unsafe') => rows.reduce((total, row) => total + row[member], 0);
  return { total: sum('sessions'), unsafe: sum('unsafe'), servers: rows.map(({ server, sessions }) => ({ server, sessions })) };
}

function conditions(sql: Sql, { servers, not, isUnsafe, fromMs, toMs }: SessionFilter) {
  return sql`${ofServers(sql, { servers, not }, 'e')}
    and ${isUnsafe === null ? sql`true` : isUnsafe ? sql`e.unsafe > 0` : sql`e.unsafe = 0`}
    and ${fromMs === null ? sql`true` : sql`e.last_at >= ${new Date(fromMs)}`}
    and ${toMs === null ? sql`true` : sql`e.first_at < ${new Date(toMs)}`}`;
}
