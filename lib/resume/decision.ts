import { clipRanges, countPositions, type PositionRange } from '@/lib/base/ranges';
import { earliestResumableCursor } from '@/lib/resume/earliest-resumable';
import type { Decision, Gap, LogFacts, NextStep, Policy, Reason, Verdict } from '@/lib/resume/types';

/** What a decision's numbers are taken from. */
export interface KnownLog {
  readonly policy: Policy;
  readonly log: LogFacts;
  readonly cursor: bigint | null;
}

interface Outcome {
  readonly verdict: Verdict;
  readonly status: Decision['status'];
  readonly nextStep: NextStep | null;
}

/** Verdict, status and next step of every row of the contract's table (section 2). */
const OUTCOMES: Readonly<Record<Reason, Outcome>> = {
  protocol_era: { verdict: 'not_applicable', status: 200, nextStep: null },
  session_unknown: { verdict: 'refuse', status: 404, nextStep: 'reinitialize' },
  session_evicted: { verdict: 'refuse', status: 404, nextStep: 'reinitialize' },
  session_superseded: { verdict: 'refuse', status: 409, nextStep: 'reinitialize' },
  no_cursor: { verdict: 'fresh', status: 200, nextStep: null },
  malformed_cursor: { verdict: 'refuse', status: 400, nextStep: 'drop_cursor' },
  unknown_cursor: { verdict: 'refuse', status: 409, nextStep: 'reinitialize' },
  generation_unknown: { verdict: 'refuse', status: 409, nextStep: 'reinitialize' },
  generation_mismatch: { verdict: 'refuse', status: 409, nextStep: 'reinitialize' },
  ahead_of_head: { verdict: 'refuse', status: 409, nextStep: 'reinitialize' },
  no_coverage: { verdict: 'refuse', status: 409, nextStep: 'reinitialize' },
  below_floor: { verdict: 'refuse', status: 409, nextStep: 'reinitialize' },
  hole: { verdict: 'refuse', status: 409, nextStep: 'reinitialize' },
  id_reused: { verdict: 'refuse', status: 409, nextStep: 'reinitialize' },
  ok: { verdict: 'resume', status: 200, nextStep: null },
};

/** The verdict of a row. */
export const verdictOf = (reason: Reason): Verdict => OUTCOMES[reason].verdict;

const WITHOUT_LOG: ReadonlySet<Reason> = new Set<Reason>(['protocol_era', 'session_unknown', 'session_evicted', 'session_superseded']);

/**
 * The whole decision for a row that fired. With `known` null (the log's facts were not reported) every number
 * is null. Numbers of a session that is not live, or of a protocol without resumption, are never given.
 */
export function decisionFor(reason: Reason, known: KnownLog | null): Decision {
  const { verdict, status, nextStep } = OUTCOMES[reason];
  if (known === null || WITHOUT_LOG.has(reason)) {
    return { verdict, reason, status, replay: null, gap: null, earliestRetained: null, earliestResumableCursor: null, nextStep };
  }
  const { policy, log, cursor } = known;
  return {
    verdict,
    reason,
    status,
    replay: reason === 'ok' && cursor !== null ? { from: cursor + 1n, to: log.head, count: log.head - cursor } : null,
    gap: (reason === 'below_floor' || reason === 'hole') && cursor !== null ? missingAfter(log, cursor) : null,
    earliestRetained: log.floor > log.head ? null : log.floor,
    earliestResumableCursor: earliestResumableCursor(policy, log),
    nextStep,
  };
}

/** Every position in `(cursor, head]` that is not retained, null when none is: below the floor, then the holes. */
export function missingAfter(log: LogFacts, cursor: bigint): Gap | null {
  const ranges: PositionRange[] = [];
  if (cursor + 1n < log.floor) ranges.push({ first: cursor + 1n, last: log.floor - 1n });
  const from = cursor + 1n > log.floor ? cursor + 1n : log.floor;
  for (const hole of clipRanges(log.holes, from, log.head)) {
    const previous = ranges.at(-1);
    if (previous !== undefined && previous.last + 1n === hole.first) ranges[ranges.length - 1] = { first: previous.first, last: hole.last };
    else ranges.push(hole);
  }
  return ranges.length === 0 ? null : { ranges, count: countPositions(ranges) };
}
