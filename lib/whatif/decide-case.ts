import type { AttemptFacts, ServerAct } from '@/lib/resume/attempt-facts';
import { reasonFor } from '@/lib/resume/decide';
import { verdictOf } from '@/lib/resume/decision';
import { judgeAttempt } from '@/lib/resume/judge';
import type { Reason, Verdict } from '@/lib/resume/types';
import type { AttemptCase } from '@/lib/whatif/attempt-case';
import type { Change } from '@/lib/whatif/change';

/** What the rules say of a case. */
export interface Outcome {
  readonly verdict: Verdict;
  readonly reason: Reason;
}

/** The rules' answer to the facts as recorded; null when they leave more than one verdict open. */
export function outcomeOf(facts: AttemptFacts): Outcome | null {
  return outcomeOfWhole(facts) ?? outcomeOfPart(facts);
}

/** The rules' answer had the change been in force; null when the records do not tell what it would have kept. */
export function outcomeUnder(change: Change, attempt: AttemptCase): Outcome | null {
  let moved: AttemptCase | null = attempt;
  if (change.reconnect_ms !== undefined && hasCursor(attempt.facts)) moved = attempt.factsAfterAway?.(change.reconnect_ms) ?? null;
  const facts = moved === null ? null : factsUnder(change, moved);
  return facts === null ? null : outcomeOf(facts);
}

const hasCursor = (facts: AttemptFacts): boolean =>
  (facts.cursor !== null && facts.cursor !== undefined) || (facts.lastEventId !== null && facts.lastEventId !== '');

function factsUnder(change: Change, attempt: AttemptCase): AttemptFacts | null {
  let { facts } = attempt;
  if (change.floor !== undefined) facts = { ...facts, floorRule: change.floor };
  if (change.generation_check === false && facts.requestedGeneration !== facts.generation)
    facts = { ...facts, requestedGeneration: facts.generation };
  if (change.buffer === undefined || facts.head === undefined) return facts;
  const floor = attempt.floorUnder(change.buffer);
  if (floor === null) return null;
  return { ...facts, floor: floor > facts.head + 1n ? facts.head + 1n : floor, holes: [] };
}

/** The straight way for an attempt with every fact reported. */
function outcomeOfWhole(facts: AttemptFacts): Outcome | null {
  const { sessionState, generation, requestedGeneration, lastEventId, cursor, floor, head } = facts;
  if (sessionState === undefined || cursor === undefined || floor === undefined || head === undefined) return null;
  if (typeof generation !== 'string' || typeof requestedGeneration !== 'string' || lastEventId === undefined) return null;
  const reason = reasonFor(
    { floor: facts.floorRule },
    { state: sessionState, generation },
    { floor, head, holes: facts.holes, reused: facts.reused, coveredFrom: facts.coveredFrom ?? null },
    { cursor, lastEventId, generation: requestedGeneration, protocolVersion: facts.protocolVersion },
  );
  return { verdict: verdictOf(reason), reason };
}

/** What a server did has no say in what the rules say. */
const NO_ACT: ServerAct = { verdict: 'resumed', status: undefined, reason: null, code: null, replayed: null };

function outcomeOfPart(facts: AttemptFacts): Outcome | null {
  const { decision } = judgeAttempt(facts, NO_ACT);
  return decision === null ? null : { verdict: decision.verdict, reason: decision.reason };
}
