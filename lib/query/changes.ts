import type { Sql } from '@/db/connect';
import type { ChangePage } from '@/lib/wire/change-responses';

export interface ChangeFilter {
  readonly action: string | null;
  readonly actor: string | null;
  readonly subject: string | null;
}

/** A page of the change log, newest first, below the number `before`; `next` is the number that leads on, null at the end. */
export async function queryChanges(sql: Sql, filter: ChangeFilter, limit: number, before: bigint | null): Promise<ChangePage> {
  const rows = await sql<ChangeRow[]>`
    select seq, at, actor, action, subject, before, after from change_log
    where ${before === null ? sql`true` : sql`seq < ${before}`}
      and ${filter.action === null ? sql`true` : sql`(action = ${filter.action} or starts_with(action, ${`${filter.action}.`}))`}
      and ${filter.actor === null ? sql`true` : sql`actor = ${filter.actor}`}
      and ${filter.subject === null ? sql`true` : sql`subject = ${filter.subject}`}
    order by seq desc
    limit ${limit + 1}`;
  const page = rows.slice(0, limit);
  return {
    items: page.map(({ seq, at, actor, action, subject, before: from, after: to }) => ({
      seq: Number(seq),
      at: at.toISOString(),
      actor,
      action,
      subject,
      from: from === null ? null : JSON.parse(from),
      to: to === null ? null : JSON.parse(to),
    })),
    next: rows.length > limit ? String(page.at(-1)?.seq) : null,
  };
}

interface ChangeRow {
  readonly seq: bigint;
  readonly at: Date;
  readonly actor: string;
  readonly action: string;
  readonly subject: string;
  readonly before: string | null;
  readonly after: string | null;
}
