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
    const [outcome, ...missing] = testRow(reason, facts);
    tests.push({ row, reason, outcome, missing });
    if (outcome === 'applies') break;
  }
  return tests;
}

type Tested = readonly [RowOutcome, ...string[]];

const PASSES: Tested = ['passes'];
const APPLIES: Tested = ['applies'];
const when = (applies: boolean): Tested => (applies ? APPLIES : PASSES);

function testRow(reason: Reason, facts: AttemptFacts): Tested {
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
      return facts.cursor === undefined ? ['untested', 'cursor'] : when(facts.cursor === null);
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
  return facts.floor === undefined && facts.head === undefined ? ['untested', 'session_state'] : PASSES;
}

const hasText = (facts: AttemptFacts): boolean => typeof facts.lastEventId === 'string' && facts.lastEventId !== '';

function testNoCursor(facts: AttemptFacts): Tested {
  if (hasText(facts) || (facts.cursor !== undefined && facts.cursor !== null)) return PASSES;
  if (facts.lastEventId === undefined && facts.cursor === undefined) return ['untested', 'last_event_id'];
  return APPLIES;
}

function testGenerationKnown(facts: AttemptFacts): Tested {
  const { generation, requestedGeneration } = facts;
  if (requestedGeneration === undefined) return hasNoGeneration(generation) ? ['untested'] : ['untested', 'requested_generation'];
  if (requestedGeneration === null) return hasNoGeneration(generation) ? ['untested'] : APPLIES;
  return PASSES;
}

function testGenerationEqual(facts: AttemptFacts): Tested {
  const { generation, requestedGeneration } = facts;
  if (requestedGeneration === undefined || requestedGeneration === null) return ['untested'];
  return generation === undefined ? ['untested', 'generation'] : when(generation !== requestedGeneration);
}

const hasNoGeneration = (generation: string | null | undefined): boolean => generation === undefined || generation === null;

function testLogRow(reason: Reason, facts: AttemptFacts): Tested {
  const { cursor, floor, head, coveredFrom } = facts;
  if (cursor === undefined || cursor === null) return ['untested', 'cursor'];
  if (reason === 'ahead_of_head') return head === undefined ? ['untested', 'head'] : when(cursor > head);
  if (reason === 'no_coverage') return when(coveredFrom !== undefined && isUncovered(logOf(facts, 0n, 0n), cursor));
  if (reason === 'below_floor')
    return floor === undefined ? ['untested', 'floor'] : when(isBelowFloor({ floor: facts.floorRule }, logOf(facts, floor, 0n), cursor));
  if (head === undefined) return ['untested', 'head'];
  const log = logOf(facts, 0n, head);
  return when(reason === 'hole' ? isHoleAhead(log, cursor) : isReusedAhead(log, cursor));
}

function logOf(facts: AttemptFacts, floor: bigint, head: bigint): LogFacts {
  return { floor, head, holes: facts.holes, reused: facts.reused, coveredFrom: facts.coveredFrom ?? null };
}
