import type { PositionRange } from '@/lib/base/ranges';
import type { AttemptFacts } from '@/lib/resume/attempt-facts';
import { FIRST_REVISION_WITHOUT_RESUMPTION } from '@/lib/resume/protocol-era';
import { type RowOutcome, testRows } from '@/lib/resume/row-tests';
import { REASONS, type Reason } from '@/lib/resume/types';

export interface ProofRow {
  readonly row: number;
  readonly reason: Reason;
  readonly outcome: RowOutcome | 'not_reached';
  /** One sentence with the numbers that were compared. */
  readonly sentence: string;
}

/**
 * The proof of a judgement, row by row, in words with its numbers: every row passed, applied, could not be
 * tested for want of a fact, or was not reached.
 */
export function proofLadder(facts: AttemptFacts): ProofRow[] {
  const tests = testRows(facts);
  return REASONS.map((reason, row) => {
    const test = tests[row];
    if (test === undefined) return { row, reason, outcome: 'not_reached', sentence: WORDS[reason].topic };
    if (test.outcome === 'untested') return { row, reason, outcome: 'untested', sentence: untestedSentence(reason, test.missing) };
    const words = test.outcome === 'applies' ? WORDS[reason].applies : WORDS[reason].passes;
    return { row, reason, outcome: test.outcome, sentence: words(facts) };
  });
}

interface RowWords {
  /** What the row asks, when there is no answer to tell. */
  readonly topic: string;
  readonly applies: (facts: AttemptFacts) => string;
  readonly passes: (facts: AttemptFacts) => string;
}

const cursorOf = (facts: AttemptFacts): string => (facts.lastEventId ?? '') || String(facts.cursor);
const floorBound = (facts: AttemptFacts): string => (facts.floorRule === 'successor' ? `floor ${facts.floor} − 1` : `floor ${facts.floor}`);
const always = (sentence: string) => () => sentence;

function stateWords(topic: string): RowWords {
  return { topic, applies: (facts) => `The session is ${facts.sessionState}`, passes: always(topic) };
}

const WORDS: Readonly<Record<Reason, RowWords>> = {
  protocol_era: {
    topic: 'The protocol revision has resumption',
    applies: (facts) => `Revision ${facts.protocolVersion} has no resumption, dropped in ${FIRST_REVISION_WITHOUT_RESUMPTION}`,
    passes: (facts) =>
      facts.protocolVersion === null
        ? 'No revision is named, so one that has resumption'
        : `Revision ${facts.protocolVersion} has resumption`,
  },
  session_unknown: stateWords('The session is known'),
  session_evicted: stateWords('The session is not evicted'),
  session_superseded: stateWords('The session is not superseded'),
  no_cursor: {
    topic: 'A cursor is present',
    applies: always('No cursor was presented'),
    passes: (facts) => `A cursor is present: ${cursorOf(facts)}`,
  },
  malformed_cursor: {
    topic: 'The cursor is readable text',
    applies: always('The text cannot be a cursor: a control character, not ASCII, or over 1,024 bytes'),
    passes: always('The cursor is readable text'),
  },
  unknown_cursor: {
    topic: 'The cursor was issued on this stream',
    applies: (facts) => `${cursorOf(facts)} was never issued on this stream`,
    passes: (facts) => `${cursorOf(facts)} was issued on this stream, at position ${facts.cursor}`,
  },
  generation_unknown: {
    topic: 'The generation of the cursor is known',
    applies: always('The generation of the cursor is not known'),
    passes: (facts) => `The cursor is of generation ${facts.requestedGeneration}`,
  },
  generation_mismatch: {
    topic: 'The generation of the cursor is the live one',
    applies: (facts) => `The cursor is of generation ${facts.requestedGeneration}, the live one is ${facts.generation ?? 'none'}`,
    passes: (facts) => `Generation ${facts.requestedGeneration} is the live one`,
  },
  ahead_of_head: {
    topic: 'The cursor is not above the head',
    applies: (facts) => `${facts.cursor} is above head ${facts.head}`,
    passes: (facts) => `${facts.cursor} is not above head ${facts.head}`,
  },
  no_coverage: {
    topic: 'This replica heard everything since the cursor',
    applies: (facts) => `This replica began listening at ${facts.coveredFrom}, after ${facts.cursor}`,
    passes: (facts) =>
      facts.coveredFrom === undefined ? 'No later start of coverage is reported' : `This replica began listening at ${facts.coveredFrom}`,
  },
  below_floor: {
    topic: 'The cursor is not below the floor',
    applies: (facts) => `${facts.cursor} is below ${floorBound(facts)}`,
    passes: (facts) => `${facts.cursor} is not below ${floorBound(facts)}`,
  },
  hole: {
    topic: 'Nothing is missing after the cursor',
    applies: (facts) => `${rangeWords(facts.holes, (facts.cursor ?? 0n) + 1n, facts.head ?? 0n)} missing after ${facts.cursor}`,
    passes: (facts) => `Nothing is missing from ${facts.cursor} to ${facts.head}`,
  },
  id_reused: {
    topic: 'No position was issued twice since the cursor',
    applies: (facts) => `${rangeWords(facts.reused, facts.cursor ?? 0n, facts.head ?? 0n)} issued more than once`,
    passes: (facts) => `No position from ${facts.cursor} to ${facts.head} was issued twice`,
  },
  ok: {
    topic: 'Everything after the cursor is retained',
    applies: (facts) => `Everything after ${facts.cursor} is retained, up to ${facts.head ?? 'the head'}`,
    passes: always('Everything after the cursor is retained'),
  },
};

/** At most three ranges in words, then a count. */
function rangeWords(ranges: readonly PositionRange[], first: bigint, last: bigint): string {
  const inside = ranges.filter((range) => range.last >= first && range.first <= last);
  const words = inside.slice(0, 3).map((range) => (range.first === range.last ? String(range.first) : `${range.first} to ${range.last}`));
  const more = inside.length > 3 ? ` and ${inside.length - 3} more` : '';
  const isOne = inside.length === 1 && inside[0]?.first === inside[0]?.last;
  return `${words.join(', ')}${more} ${isOne ? 'is' : 'are'}`;
}

function untestedSentence(reason: Reason, missing: readonly string[]): string {
  if (missing.length > 0) return `${WORDS[reason].topic}: ${missing.join(', ')} not reported`;
  return reason === 'generation_unknown' || reason === 'generation_mismatch' ? 'No generation is reported' : WORDS[reason].topic;
}
