import { ACT_CODES } from '@/db/codes';
import type { Sql } from '@/db/connect';
import { parseJsonExactly } from '@/lib/base/json';
import type { Period } from '@/lib/rollup/period-parts';
import { AFTER_REFUSAL, type AfterRefusal } from '@/lib/wire/responses';
import type { ResumeAttemptRecord } from '@/lib/wire/schema';

/** Newest refusals whose sequel is read. */
const REFUSALS_MAX = 2_000;
/** A refused cursor that is presented so often again is a loop (contract section 5). */
const LOOP = 3;

interface RefusalRow {
  readonly client: string | null;
  readonly body: string;
  /** Bodies of the next attempts of the session, in order, at most three. */
  readonly next: readonly string[];
  /** Whether anything at all was recorded of the session later. */
  readonly is_heard: boolean;
}

/** What each client (by name, null where none was told) did in a session after refusals of a live session's cursor. */
export async function queryAfterRefusals(
  sql: Sql,
  serverId: number,
  { fromMs, toMs }: Period,
): Promise<ReadonlyMap<string | null, Record<AfterRefusal, number>>> {
  const rows = await sql<RefusalRow[]>`
    with refusals as (
      select at, arrival, session_ref, client_id, stream, body from attempt
      where server_id = ${serverId} and at >= ${new Date(fromMs)} and at < ${new Date(toMs)}
        and act = ${ACT_CODES.refused} and is_unavailable and session_ref is not null
      order by at desc limit ${REFUSALS_MAX})
    select c.name as client, r.body,
      (select coalesce(json_agg(x.body), '[]') from (
        select n.body from attempt n
        where n.session_ref = r.session_ref and n.stream is not distinct from r.stream and n.arrival > r.arrival
        order by n.arrival limit ${LOOP}) x) as next,
      exists (select 1 from record o where o.session_ref = r.session_ref and o.arrival > r.arrival and o.at > r.at) as is_heard
    from refusals r left join client c on c.id = r.client_id`;
  const byClient = new Map<string | null, Record<AfterRefusal, number>>();
  for (const row of rows) {
    const counts = byClient.get(row.client) ?? noSequels();
    counts[sequelOf(row)] += 1;
    byClient.set(row.client, counts);
  }
  return byClient;
}

function sequelOf({ body, next, is_heard }: RefusalRow): AfterRefusal {
  const refused = presented(body);
  const [first, ...later] = next.map(presented);
  if (first === undefined) return is_heard ? 'went_on' : 'left';
  if (first === null) return 'dropped_cursor';
  if (first !== refused) return 'other_cursor';
  return later.length === LOOP - 1 && later.every((cursor) => cursor === refused) ? 'looped' : 'retried';
}

/** What an attempt presented: the text where it was told, else the position; null for no cursor. */
function presented(body: string): string | null {
  // The body was validated before it was stored, and nothing else writes it.
  const { last_event_id: text, cursor } = parseJsonExactly(body) as ResumeAttemptRecord;
  if (typeof text === 'string' && text !== '') return text;
  return cursor === null || cursor === undefined ? null : String(cursor);
}

/** Counts of nothing. */
export function noSequels(): Record<AfterRefusal, number> {
  return Object.fromEntries(AFTER_REFUSAL.map((sequel) => [sequel, 0])) as Record<AfterRefusal, number>;
}
