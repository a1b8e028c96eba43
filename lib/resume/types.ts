import type { PositionRange } from '@/lib/base/ranges';

/** `successor`: refuse iff cursor < floor − 1. `retained`: refuse iff cursor < floor (contract section 2). */
export type FloorRule = 'successor' | 'retained';

export interface Policy {
  readonly floor: FloorRule;
}

export type SessionState = 'live' | 'evicted' | 'superseded' | 'unknown';

export interface SessionFacts {
  readonly state: SessionState;
  /** Identity of the live numbering, compared as text and for equality only; null when the server has none. */
  readonly generation: string | null;
}

/** Facts of one stream's log. `floor = head + 1` when nothing is retained. */
export interface LogFacts {
  readonly floor: bigint;
  readonly head: bigint;
  /** Ranges inside `[floor, head]` that are no longer retained; sorted and disjoint. */
  readonly holes: readonly PositionRange[];
  /** Ranges of positions issued more than once; sorted and disjoint. */
  readonly reused: readonly PositionRange[];
  /** First position this replica heard; null when it heard everything. */
  readonly coveredFrom: bigint | null;
}

export interface ResumeRequest {
  /** Position of the last event the client says it has; null when it could not be found. */
  readonly cursor: bigint | null;
  /** `Last-Event-ID` byte for byte; null when the header is absent. */
  readonly lastEventId: string | null;
  /** Generation the cursor belongs to; null when unknown. */
  readonly generation: string | null;
  readonly protocolVersion: string | null;
}

export type Verdict = 'resume' | 'refuse' | 'fresh' | 'not_applicable';

/** Every reason a verdict can have, in the order of the contract's table (row 0 to 14). */
export const REASONS = [
  'protocol_era',
  'session_unknown',
  'session_evicted',
  'session_superseded',
  'no_cursor',
  'malformed_cursor',
  'unknown_cursor',
  'generation_unknown',
  'generation_mismatch',
  'ahead_of_head',
  'no_coverage',
  'below_floor',
  'hole',
  'id_reused',
  'ok',
] as const;

export type Reason = (typeof REASONS)[number];

/** What the client should do after a refusal. */
export type NextStep = 'reinitialize' | 'drop_cursor';

export interface Gap {
  readonly ranges: readonly PositionRange[];
  readonly count: bigint;
}

/** Positions to replay, in order; `count` 0 is a full success and then `from` is `to + 1`. */
export interface Replay {
  readonly from: bigint;
  readonly to: bigint;
  readonly count: bigint;
}

export interface Decision {
  readonly verdict: Verdict;
  readonly reason: Reason;
  /** HTTP status that tells the client the truth. */
  readonly status: 200 | 400 | 404 | 409;
  readonly replay: Replay | null;
  readonly gap: Gap | null;
  readonly earliestRetained: bigint | null;
  /** Smallest cursor of the live generation that would be accepted now; null when none would be. */
  readonly earliestResumableCursor: bigint | null;
  readonly nextStep: NextStep | null;
}
