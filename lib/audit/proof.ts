import { FINDINGS } from '@/lib/audit/catalogue';
import type { Finding } from '@/lib/audit/finding';
import { SMALLEST_CHANGES } from '@/lib/audit/smallest-changes';
import type { AttemptFacts } from '@/lib/resume/attempt-facts';
import { type ProofRow, proofLadder } from '@/lib/resume/proof-ladder';
import type { Reason } from '@/lib/resume/types';

/** Why an attempt had to be refused, and what would have made it legal. */
export interface AttemptProof {
  /** The row of the verdict table that fired; null when none did, or a fact was missing. */
  readonly clause: ProofRow | null;
  readonly rows: readonly ProofRow[];
  /** The smallest change of one fact that the row would have let through; null for a legal attempt. */
  readonly smallestChange: FactChange | null;
}

export interface FactChange {
  /** Wire name of the fact. */
  readonly fact: string;
  readonly from: string;
  readonly to: string;
  readonly sentence: string;
}

/** The proof of a refusal: the first row that applies, with its numbers, and the nearest legal fact. */
export function proveAttempt(facts: AttemptFacts): AttemptProof {
  const rows = proofLadder(facts);
  const clause = rows.find((row) => row.outcome === 'applies') ?? null;
  return { clause, rows, smallestChange: clause === null ? null : smallestChange(clause.reason, facts) };
}

function smallestChange(reason: Reason, facts: AttemptFacts): FactChange | null {
  const { cursor, floor, head, coveredFrom } = facts;
  const change = (fact: string, from: unknown, to: unknown, sentence: string): FactChange => ({
    fact,
    from: String(from ?? 'not reported'),
    to: String(to),
    sentence,
  });
  switch (reason) {
    case 'session_unknown':
    case 'session_evicted':
    case 'session_superseded':
      return change('session_state', facts.sessionState, 'live', 'A session that is live could be resumed.');
    case 'malformed_cursor':
      return change('last_event_id', facts.lastEventId, 'an id as it was issued', 'An id as the server wrote it could be looked up.');
    case 'unknown_cursor':
      return change(
        'last_event_id',
        facts.lastEventId,
        'an id issued on this stream',
        'An id that this stream issued could be resumed from.',
      );
    case 'generation_unknown':
    case 'generation_mismatch':
      return change(
        'requested_generation',
        facts.requestedGeneration,
        facts.generation,
        'A cursor of the live generation could be served.',
      );
    case 'ahead_of_head':
      return change('cursor', cursor, head, `A cursor of at most ${head} names an event that was issued.`);
    case 'no_coverage':
      return change(
        'covered_from',
        coveredFrom,
        (cursor ?? 0n) + 1n,
        `A replica that listened from ${(cursor ?? 0n) + 1n} on heard all after the cursor.`,
      );
    case 'below_floor':
      return belowFloor(facts, change, floor, cursor ?? 0n);
    case 'hole':
      return change(
        'holes',
        rangesInside(facts.holes, (cursor ?? 0n) + 1n, head),
        'none after the cursor',
        'With these positions retained the replay is whole.',
      );
    case 'id_reused':
      return change(
        'reused',
        rangesInside(facts.reused, cursor ?? 0n, head),
        'none from the cursor on',
        'With ids issued once the cursor names one event.',
      );
    default:
      return null;
  }
}

type Change = (fact: string, from: unknown, to: unknown, sentence: string) => FactChange;

function belowFloor(facts: AttemptFacts, change: Change, floor: bigint | undefined, cursor: bigint): FactChange {
  const highest = facts.floorRule === 'successor' ? cursor + 1n : cursor;
  const short = (floor ?? highest) - highest;
  return change('floor', floor, highest, `With a floor of ${highest}, ${short} lower, everything after the cursor is retained.`);
}

function rangesInside(ranges: AttemptFacts['holes'], first: bigint, last: bigint | undefined): string {
  const inside = ranges.filter((range) => range.last >= first && (last === undefined || range.first <= last));
  return inside.map((range) => (range.first === range.last ? `${range.first}` : `${range.first} to ${range.last}`)).join(', ');
}

/** The proof of a finding: where it became illegal, the rule with its numbers, and the nearest legal history. */
export interface FindingProof {
  /** Place of the first record that is illegal. */
  readonly firstIllegal: number;
  readonly clause: string;
  /** What happened, with its numbers. */
  readonly sentence: string;
  readonly smallestChange: string;
  readonly records: readonly number[];
}

export function proveFinding(finding: Finding): FindingProof {
  return {
    firstIllegal: finding.index,
    clause: FINDINGS[finding.code].clause,
    sentence: finding.message,
    smallestChange: SMALLEST_CHANGES[finding.code](finding),
    records: finding.records,
  };
}
