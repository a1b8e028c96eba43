import type { Sql } from '@/db/connect';
import type { LiveNote } from '@/lib/store/live-log';

export interface LiveEvent extends LiveNote {
  readonly seq: bigint;
  readonly at: string;
}

export interface LiveTail {
  readonly generation: string;
  readonly head: bigint;
  /** In order; the retained ones after the number asked for. */
  readonly events: readonly LiveEvent[];
}

/** Events of the live feed after `after`, with the generation they belong to; one statement, so that they belong together. */
export async function queryLiveTail(sql: Sql, after: bigint, limit: number): Promise<LiveTail> {
  const rows = await sql<{ generation: string; head: bigint; seq: bigint | null; at: Date | null; note: string | null }[]>`
    select h.generation, h.head, e.seq, e.at, e.note from live_head h
    left join lateral (select * from live_event where seq > ${after} and seq <= h.head order by seq desc limit ${limit}) e on true
    order by e.seq`;
  const [first] = rows;
  if (first === undefined) return { generation: '', head: 0n, events: [] };
  return { generation: first.generation, head: first.head, events: rows.flatMap(eventOf) };
}

function eventOf({ seq, at, note }: { seq: bigint | null; at: Date | null; note: string | null }): LiveEvent[] {
  if (seq === null || at === null || note === null) return [];
  // Written by `appendLive` and by nothing else.
  const { stored, attempts, servers } = JSON.parse(note) as LiveNote;
  return [{ seq, at: at.toISOString(), stored, attempts, servers }];
}
