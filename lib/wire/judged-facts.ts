import { parsePosition } from '@/lib/base/position';
import type { AttemptFacts } from '@/lib/resume/attempt-facts';
import { testRows } from '@/lib/resume/row-tests';
import type { Reason } from '@/lib/resume/types';
import { attemptFacts } from '@/lib/wire/attempt-facts';
import type { JsonDecision } from '@/lib/wire/encode-decision';
import type { ResumeAttemptRecord } from '@/lib/wire/schema';
import { toRanges } from '@/lib/wire/to-ranges';

/** What the proof reads of a decision as the API gives it. */
export type ProvedDecision = Pick<JsonDecision, 'verdict' | 'reason' | 'gap' | 'earliest_retained'>;

/** Words for a generation that the history told apart and the records gave no label of its own. */
const EARLIER = 'an earlier one';

const STATE_OF: Readonly<Partial<Record<Reason, AttemptFacts['sessionState']>>> = {
  session_unknown: 'unknown',
  session_evicted: 'evicted',
  session_superseded: 'superseded',
};

/**
 * The facts that a judgement stands on: those of the record and, where the history proved a refusal that they do
 * not suffice for, what its decision says of the log. With them the proof names the row that fired.
 */
export function judgedFacts(record: ResumeAttemptRecord, decision: ProvedDecision | null): AttemptFacts {
  const facts = attemptFacts(record);
  if (decision?.verdict !== 'refuse' || fires(facts, decision.reason)) return facts;
  const told = { ...facts, sessionState: STATE_OF[decision.reason] ?? facts.sessionState ?? 'live' };
  switch (decision.reason) {
    case 'unknown_cursor':
      return { ...told, cursor: null };
    case 'generation_unknown':
      return { ...told, ...named(facts), requestedGeneration: null };
    case 'generation_mismatch':
      return { ...told, ...named(facts), requestedGeneration: otherThan(facts) };
    case 'below_floor':
    case 'hole':
      return { ...told, ...logAsJudged(facts, decision) };
    default:
      return told;
  }
}

const fires = (facts: AttemptFacts, reason: Reason): boolean => {
  const last = testRows(facts).at(-1);
  return last?.outcome === 'applies' && last.reason === reason;
};

/** A cursor whose generation was judged was found; a live generation without a label is called so. */
const named = ({ cursor, generation }: AttemptFacts) => ({ cursor: cursor ?? 0n, generation: generation ?? 'the live one' });

const otherThan = ({ generation, requestedGeneration }: AttemptFacts): string =>
  requestedGeneration === undefined || requestedGeneration === null || requestedGeneration === generation ? EARLIER : requestedGeneration;

/** Cursor, floor, head and holes by the gap, whose ends are the first event after the cursor and the last that is gone. */
function logAsJudged(facts: AttemptFacts, { reason, gap, earliest_retained }: ProvedDecision): Partial<AttemptFacts> {
  const missing = toRanges(gap?.ranges);
  const [first] = missing;
  const last = missing.at(-1);
  if (first === undefined || last === undefined) return evictedCursor(facts, parsePosition(earliest_retained));
  const generation = facts.generation ?? undefined;
  const shared = { generation, requestedGeneration: generation, head: atLeast(facts.head, last.last), reused: [] };
  if (reason === 'hole') return { ...shared, cursor: facts.cursor ?? first.first - 1n, floor: 0n, holes: missing };
  const floor = parsePosition(earliest_retained) ?? last.last + 1n;
  return { ...shared, cursor: first.first - 1n, floor, holes: [] };
}

/** Nothing after the cursor is missing: the stricter floor rule refuses the cursor's own event, the one before the floor. */
function evictedCursor(facts: AttemptFacts, floor: bigint | null): Partial<AttemptFacts> {
  return floor === null ? {} : { cursor: floor - 1n, floor, head: atLeast(facts.head, floor - 1n) };
}

const atLeast = (known: bigint | undefined, least: bigint): bigint => (known !== undefined && known > least ? known : least);
