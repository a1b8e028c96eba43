import { encodePosition, type JsonPosition } from '@/lib/base/position';
import type { Decision, NextStep, Reason, Verdict } from '@/lib/resume/types';

/** A decision as the verdict endpoint answers it and as attempts and audits carry it (contract section 2). */
export interface JsonDecision {
  verdict: Verdict;
  reason: Reason;
  status: number;
  replay: { from: JsonPosition; to: JsonPosition; count: JsonPosition } | null;
  gap: { ranges: [JsonPosition, JsonPosition][]; count: JsonPosition } | null;
  earliest_retained: JsonPosition | null;
  earliest_resumable_cursor: JsonPosition | null;
  next_step: NextStep | null;
}

/** Writes a decision in its JSON form; positions beyond 2^53−1 become decimal strings. */
export function encodeDecision(decision: Decision): JsonDecision {
  const { replay, gap } = decision;
  return {
    verdict: decision.verdict,
    reason: decision.reason,
    status: decision.status,
    replay:
      replay === null ? null : { from: encodePosition(replay.from), to: encodePosition(replay.to), count: encodePosition(replay.count) },
    gap:
      gap === null
        ? null
        : { ranges: gap.ranges.map(({ first, last }) => [encodePosition(first), encodePosition(last)]), count: encodePosition(gap.count) },
    earliest_retained: decision.earliestRetained === null ? null : encodePosition(decision.earliestRetained),
    earliest_resumable_cursor: decision.earliestResumableCursor === null ? null : encodePosition(decision.earliestResumableCursor),
    next_step: decision.nextStep,
  };
}
