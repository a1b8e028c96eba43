import { assessmentOfCode, reasonOfCode, UNDECIDED_CODE } from '@/db/codes';
import { encodePosition, type JsonPosition } from '@/lib/base/position';
import { ASSESSMENTS, type Assessment } from '@/lib/resume/attempt-facts';
import { decisionFor } from '@/lib/resume/decision';
import { MARKS, type Mark, markOf } from '@/lib/resume/mark';
import type { Reason, Verdict } from '@/lib/resume/types';

/** Counts of attempts that share reason and assessment; every other grouping follows from those two. */
export interface OutcomeCount {
  readonly reason: number;
  readonly assessment: number;
  readonly attempts: bigint;
  readonly unavailable: bigint;
  /** Decimal text: a sum may exceed 64 bits. */
  readonly gap_events: string;
  readonly uncounted: bigint;
}

export interface Outcome {
  readonly reason: Reason | null;
  readonly verdict: Verdict | null;
  readonly assessment: Assessment;
  readonly mark: Mark;
}

/** What a pair of stored codes means. */
export function outcomeOf(reasonCode: number, assessmentCode: number): Outcome {
  const reason = reasonCode === UNDECIDED_CODE ? null : reasonOfCode(reasonCode);
  const assessment = assessmentOfCode(assessmentCode);
  const verdict = reason === null ? null : decisionFor(reason, null).verdict;
  return { reason, verdict, assessment, mark: markOf(assessment, verdict) };
}

export interface Tally {
  attempts: number;
  marks: Record<Mark, number>;
  assessments: Record<Assessment, number>;
  resumeUnavailable: number;
  /** Events that unsafe resumes and bad replays left out. */
  eventsLost: bigint;
  /** Whether some of their gaps could not be counted. */
  isAtLeast: boolean;
}

/** Adds counts up into what a screen shows of a group of attempts. */
export function tally(counts: Iterable<OutcomeCount>): Tally {
  const total: Tally = {
    attempts: 0,
    marks: zeroes(MARKS),
    assessments: zeroes(ASSESSMENTS),
    resumeUnavailable: 0,
    eventsLost: 0n,
    isAtLeast: false,
  };
  for (const count of counts) {
    const { assessment, mark } = outcomeOf(count.reason, count.assessment);
    const attempts = Number(count.attempts);
    total.attempts += attempts;
    total.marks[mark] += attempts;
    total.assessments[assessment] += attempts;
    total.resumeUnavailable += Number(count.unavailable);
    if (!isLoss(mark)) continue;
    total.eventsLost += BigInt(count.gap_events);
    total.isAtLeast ||= count.uncounted > 0n;
  }
  return total;
}

/** Whether attempts of a mark left events out that the client needed. */
export function isLoss(mark: Mark): boolean {
  return mark === 'unsafe_resume' || mark === 'bad_replay';
}

/** A count of events as JSON carries it. */
export function encodeCount(count: bigint): JsonPosition {
  return encodePosition(count);
}

function zeroes<T extends string>(keys: readonly T[]): Record<T, number> {
  return Object.fromEntries(keys.map((key) => [key, 0])) as Record<T, number>;
}
