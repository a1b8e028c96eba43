import { ACT_CODES, RECORD_TYPE_CODES } from '@/db/codes';
import type { Sql } from '@/db/connect';
import { parseJsonExactly } from '@/lib/base/json';
import { afterRefusals, type BegunSession, LOOP, SEQUEL_MS, type SeenRefusal, type Telling } from '@/lib/replay/after-refusal';
import type { Period } from '@/lib/rollup/period-parts';
import { AFTER_REFUSAL, type AfterRefusal } from '@/lib/wire/responses';
import type { ResumeAttemptRecord } from '@/lib/wire/schema';

/** Newest refusals whose sequel is read. */
const REFUSALS_MAX = 2_000;
/** Newest beginnings of sessions that are read; what was refused before them stays unknown. */
const SESSIONS_MAX = 5_000;
/** Records of what a client does; what a server emits or evicts says nothing of its client. */
const BY_CLIENT = [RECORD_TYPE_CODES.open, RECORD_TYPE_CODES.request, RECORD_TYPE_CODES.client];
/** What the proxy tells of a request without a credential: it does not tell one client from another. */
const NO_PRINCIPAL = 'anonymous';

interface RefusalRow {
  readonly at: Date;
  readonly client: string | null;
  readonly body: string;
  /** Bodies of the next attempts of the session, in order, at most three. */
  readonly next: readonly string[];
  readonly is_heard: boolean;
  /** Bodies of the records that told of the session's beginning and end. */
  readonly told: readonly string[];
}

interface BegunRow {
  readonly at: Date;
  readonly body: string;
  readonly client: string | null;
  readonly is_refused: boolean;
}

/** What each client (by name, null where none was told) did after refusals of a live session's cursor. */
export async function queryAfterRefusals(
  sql: Sql,
  serverId: number,
  period: Period,
): Promise<ReadonlyMap<string | null, Record<AfterRefusal, number>>> {
  const refusals = await readRefusals(sql, serverId, period);
  const byClient = new Map<string | null, Record<AfterRefusal, number>>();
  if (refusals.length === 0) return byClient;
  const [begun, telling] = await readBegun(sql, serverId, period);
  for (const [index, sequel] of afterRefusals(refusals, begun, telling).entries()) {
    const client = refusals[index]?.client ?? null;
    const counts = byClient.get(client) ?? noSequels();
    counts[sequel] += 1;
    byClient.set(client, counts);
  }
  return byClient;
}

async function readRefusals(sql: Sql, serverId: number, { fromMs, toMs }: Period): Promise<SeenRefusal[]> {
  const rows = await sql<RefusalRow[]>`
    with refusals as (
      select at, arrival, session_ref, client_id, stream, body from attempt
      where server_id = ${serverId} and at >= ${new Date(fromMs)} and at < ${new Date(toMs)}
        and act = ${ACT_CODES.refused} and is_unavailable and session_ref is not null
      order by at desc limit ${REFUSALS_MAX})
    select r.at, c.name as client, r.body,
      (select coalesce(json_agg(x.body), '[]') from (
        select n.body from attempt n
        where n.session_ref = r.session_ref and n.stream is not distinct from r.stream and n.arrival > r.arrival
        order by n.arrival limit ${LOOP}) x) as next,
      exists (select 1 from record o
        where o.session_ref = r.session_ref and o.arrival > r.arrival and o.at > r.at and o.type in ${sql(BY_CLIENT)}) as is_heard,
      (select coalesce(json_agg(x.body), '[]') from (
        select o.body from record o where o.session_ref = r.session_ref and o.type = ${RECORD_TYPE_CODES.session}
        order by o.arrival limit 2) x) as told
    from refusals r left join client c on c.id = r.client_id`;
  return rows.map(({ at, client, body, next, is_heard, told }) => ({
    atMs: at.getTime(),
    client,
    principal: told.map(principalOf).find((principal) => principal !== null) ?? null,
    refused: presented(body),
    next: next.map(presented),
    isHeardLater: is_heard,
  }));
}

/** The sessions that began, and how far they are known. */
async function readBegun(sql: Sql, serverId: number, { fromMs, toMs }: Period): Promise<[BegunSession[], Telling]> {
  const [rows, last] = await Promise.all([
    sql<BegunRow[]>`
      select r.at, r.body,
        (select c.name from attempt a join client c on c.id = a.client_id where a.session_ref = r.session_ref limit 1) as client,
        exists (select 1 from attempt a where a.session_ref = r.session_ref and a.act = ${ACT_CODES.refused}) as is_refused
      from (select at, body, session_ref from record
        where server_id = ${serverId} and type = ${RECORD_TYPE_CODES.session} and session_ref is not null
          and at >= ${new Date(fromMs)} and at < ${new Date(toMs + SEQUEL_MS)} and body like '%created%'
        order by at desc limit ${SESSIONS_MAX}) r`,
    sql<{ at: Date }[]>`select last_at as at from session where server_id = ${serverId} order by last_at desc limit 1`,
  ]);
  const created = rows.filter(({ body }) => sessionBody(body)['event'] === 'created');
  const begun = created.map(({ at, body, client }) => ({ atMs: at.getTime(), client, principal: principalOf(body) }));
  const oldestMs = rows.at(-1)?.at.getTime() ?? fromMs;
  return [
    begun,
    {
      ofEverySession: created.some(({ is_refused }) => !is_refused),
      fromMs: rows.length < SESSIONS_MAX ? fromMs : oldestMs,
      toMs: last[0]?.at.getTime() ?? fromMs,
    },
  ];
}

// Bodies were validated before they were stored, and nothing else writes them.
function sessionBody(body: string): Readonly<Record<string, unknown>> {
  return parseJsonExactly(body) as Record<string, unknown>;
}

function principalOf(body: string): string | null {
  const { principal } = sessionBody(body);
  return typeof principal === 'string' && principal !== NO_PRINCIPAL ? principal : null;
}

/** What an attempt presented: the text where it was told, else the position; null for no cursor. */
function presented(body: string): string | null {
  const { last_event_id: text, cursor } = parseJsonExactly(body) as ResumeAttemptRecord;
  if (typeof text === 'string' && text !== '') return text;
  return cursor === null || cursor === undefined ? null : String(cursor);
}

/** Counts of nothing. */
export function noSequels(): Record<AfterRefusal, number> {
  return Object.fromEntries(AFTER_REFUSAL.map((sequel) => [sequel, 0])) as Record<AfterRefusal, number>;
}
