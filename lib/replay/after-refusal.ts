import type { AfterRefusal } from '@/lib/wire/responses';

/** For so long a refused client is waited for, as by the finding `silent_client` (contract section 5). */
export const SEQUEL_MS = 5 * 60_000;
/** A refused cursor that is presented so often again is a loop (contract section 5). */
export const LOOP = 3;

/** By what a client is known again in another session; null where it was not told. */
interface Known {
  /** Name and version. */
  readonly client: string | null;
  /** Hash of its credential. */
  readonly principal: string | null;
}

export interface SeenRefusal extends Known {
  readonly atMs: number;
  /** The cursor or event id that was refused. */
  readonly refused: string | null;
  /** What the next attempts of the session and stream presented, at most `LOOP` of them; null for no cursor. */
  readonly next: readonly (string | null)[];
  /** Whether the client did anything else in the session afterwards. */
  readonly isHeardLater: boolean;
}

export interface BegunSession extends Known {
  readonly atMs: number;
}

/** How far silence is evidence. */
export interface Telling {
  /** Whether sessions are told that went well: only then is a session that is not told none. */
  readonly ofEverySession: boolean;
  /** From when to when every session that began is known, epoch milliseconds. */
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * What a client did after each of some refusals: what it did first in the session, else a session that it began within
 * `SEQUEL_MS`, else nothing (`hung`), else `unknown`: the records do not tell. A session that began is that of one refused
 * client at most, the one that was refused last.
 */
export function afterRefusals(refusals: readonly SeenRefusal[], begun: readonly BegunSession[], telling: Telling): AfterRefusal[] {
  const { byRefusal, unclaimed } = claim(
    refusals.filter(({ next }) => next.length === 0),
    begun,
  );
  return refusals.map((refusal) => {
    if (refusal.next.length > 0) return inSession(refusal);
    if (byRefusal.has(refusal)) return 'reinitialized';
    if (refusal.isHeardLater) return 'went_on';
    const isTold = telling.ofEverySession && telling.fromMs <= refusal.atMs && telling.toMs >= refusal.atMs + SEQUEL_MS;
    return isTold && !unclaimed.some((session) => follows(refusal, session)) ? 'hung' : 'unknown';
  });
}

function inSession({ refused, next: [first, ...later] }: SeenRefusal): AfterRefusal {
  if (first === null) return 'dropped_cursor';
  if (first !== refused) return 'other_cursor';
  return later.length >= LOOP - 1 && later.every((cursor) => cursor === refused) ? 'looped' : 'retried';
}

/** Which refused clients began which session; `unclaimed` began by nobody who is known to have been refused. */
function claim(refusals: readonly SeenRefusal[], begun: readonly BegunSession[]) {
  const latestFirst = [...refusals].sort((a, b) => b.atMs - a.atMs);
  const byRefusal = new Set<SeenRefusal>();
  const unclaimed: BegunSession[] = [];
  for (const session of [...begun].sort((a, b) => a.atMs - b.atMs)) {
    const own = latestFirst.find((refusal) => !byRefusal.has(refusal) && follows(refusal, session) && isSame(refusal, session));
    if (own === undefined) unclaimed.push(session);
    else byRefusal.add(own);
  }
  return { byRefusal, unclaimed };
}

/** Whether a session may be what a refused client began. */
function follows(refusal: SeenRefusal, session: BegunSession): boolean {
  const waited = session.atMs - refusal.atMs;
  return waited >= 0 && waited <= SEQUEL_MS && !differ(refusal.client, session.client) && !differ(refusal.principal, session.principal);
}

function isSame(one: Known, other: Known): boolean {
  return (one.client !== null && one.client === other.client) || (one.principal !== null && one.principal === other.principal);
}

function differ(one: string | null, other: string | null): boolean {
  return one !== null && other !== null && one !== other;
}
