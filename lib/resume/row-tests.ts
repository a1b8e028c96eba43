import type { AttemptFacts } from '@/lib/resume/attempt-facts';
import { isCursorText } from '@/lib/resume/cursor-text';
import { isBelowFloor, isHoleAhead, isReusedAhead, isUncovered } from '@/lib/resume/log-tests';
import { hasResumption } from '@/lib/resume/protocol-era';
import { type LogFacts, REASONS, type Reason } from '@/lib/resume/types';

/** `untested`: the fact that the row asks for was not reported. It is said, never taken for a pass. */
export type RowOutcome = 'passes' | 'applies' | 'untested';

export interface RowTest {
  readonly row: number;
  readonly reason: Reason;
  readonly outcome: RowOutcome;
  /** Wire names of the facts that would have to be reported to test the row. */
  readonly missing: readonly string[];
}

/**
 * Tests the rows of the contract's table in order against what is known of an attempt, up to and with the
 * first row that applies. With all facts reported it ends at the row that `decide` answers.
 *
 * Three absences are read as facts, since servers that lack the notion do not report it: no generation on
 * either side leaves rows 7 and 8 untested without a missing fact; no `covered_from` means that the replica
 * heard everything; a session whose log is reported is live unless said otherwise.
 */
export function testRows(facts: AttemptFacts): RowTest[] {
  const tests: RowTest[] = [];
  for (const [row, reason] of REASONS.entries()) {
    const { outcome, missing } = testRow(reason, facts);
    tests.push({ row, reason, outcome, missing });
    if (outcome === 'applies') break;
  }
  return tests;
}

export interface Tested {
  readonly outcome: RowOutcome;
  readonly missing: readonly string[];
}

// Shared, since the intake tests a dozen rows of every attempt.
const PASSES: Tested = { outcome: 'passes', missing: [] };
const APPLIES: Tested = { outcome: 'applies', missing: [] };
const UNTESTED: Tested = { outcome: 'untested', missing: [] };
const lacks = (fact: string): Tested => ({ outcome: 'untested', missing: [fact] });
const LACKS_STATE = lacks('session_state');
const LACKS_TEXT = lacks('last_event_id');
const LACKS_CURSOR = lacks('cursor');
const LACKS_REQUESTED = lacks('requested_generation');
const LACKS_GENERATION = lacks('generation');
const LACKS_HEAD = lacks('head');
const LACKS_FLOOR = lacks('floor');
const when = (applies: boolean): Tested => (applies ? APPLIES : PASSES);

/** Tests one row against what is known of an attempt, as if no row before it had applied. */
export function testRow(reason: Reason, facts: AttemptFacts): Tested {
  switch (reason) {
    case 'protocol_era':
      return when(!hasResumption(facts.protocolVersion));
    case 'session_unknown':
      return testState(facts, 'unknown');
    case 'session_evicted':
      return testState(facts, 'evicted');
    case 'session_superseded':
      return testState(facts, 'superseded');
    case 'no_cursor':
      return testNoCursor(facts);
    case 'malformed_cursor':
      return when(hasText(facts) && !isCursorText(facts.lastEventId ?? null));
    case 'unknown_cursor':
      return facts.cursor === undefined ? LACKS_CURSOR : when(facts.cursor === null);
    case 'generation_unknown':
      return testGenerationKnown(facts);
    case 'generation_mismatch':
      return testGenerationEqual(facts);
    case 'ok':
      return APPLIES;
    default:
      return testLogRow(reason, facts);
  }
}

function testState(facts: AttemptFacts, state: AttemptFacts['sessionState']): Tested {
  if (facts.sessionState !== undefined) return when(facts.sessionState === state);
  return facts.floor === undefined && facts.head === undefined ? LACKS_STATE : PASSES;
}

const hasText = (facts: AttemptFacts): boolean => typeof facts.lastEventId === 'string' && facts.lastEventId !== '';

function testNoCursor(facts: AttemptFacts): Tested {
  if (hasText(facts) || (facts.cursor !== undefined && facts.cursor !== null)) return PASSES;
  if (facts.lastEventId === undefined && facts.cursor === undefined) return LACKS_TEXT;
  return APPLIES;
}

function testGenerationKnown(facts: AttemptFacts): Tested {
  const { generation, requestedGeneration } = facts;
  if (requestedGeneration === undefined) return hasNoGeneration(generation) ? UNTESTED : LACKS_REQUESTED;
  if (requestedGeneration === null) return hasNoGeneration(generation) ? UNTESTED : APPLIES;
  return PASSES;
}

function testGenerationEqual(facts: AttemptFacts): Tested {
  const { generation, requestedGeneration } = facts;
  if (requestedGeneration === undefined || requestedGeneration === null) return UNTESTED;
  return generation === undefined ? LACKS_GENERATION : when(generation !== requestedGeneration);
}

const hasNoGeneration = (generation: string | null | undefined): boolean => generation === undefined || generation === null;

function testLogRow(reason: Reason, facts: AttemptFacts): Tested {
  const { cursor, floor, head, coveredFrom, holes, reused } = facts;
  if (cursor === undefined || cursor === null) return LACKS_CURSOR;
  if (reason === 'ahead_of_head') return head === undefined ? LACKS_HEAD : when(cursor > head);
  if (reason === 'no_coverage') return when(coveredFrom !== undefined && isUncovered(logOf(facts, 0n, 0n), cursor));
  if (reason === 'below_floor')
    return floor === undefined ? LACKS_FLOOR : when(isBelowFloor({ floor: facts.floorRule }, logOf(facts, floor, 0n), cursor));
  if (head === undefined) return LACKS_HEAD;
  if (reason === 'hole') return when(holes.length > 0 && isHoleAhead(logOf(facts, 0n, head), cursor));
  return when(reused.length > 0 && isReusedAhead(logOf(facts, 0n, head), cursor));
}

function logOf(facts: AttemptFacts, floor: bigint, head: bigint): LogFacts {
  return { floor, head, holes: facts.holes, reused: facts.reused, coveredFrom: facts.coveredFrom ?? null };
}
