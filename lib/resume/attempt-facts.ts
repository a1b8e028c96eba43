import type { PositionRange } from '@/lib/base/ranges';
import type { FloorRule, SessionState } from '@/lib/resume/types';

/**
 * What is known of one resume attempt. `undefined` is "not reported", which is never the same as a reported
 * null: a fact that is missing makes a row untested, not passed.
 */
export interface AttemptFacts {
  readonly protocolVersion: string | null;
  readonly sessionState: SessionState | undefined;
  /** Live generation of the session; null when the server has none. */
  readonly generation: string | null | undefined;
  readonly requestedGeneration: string | null | undefined;
  readonly lastEventId: string | null | undefined;
  readonly cursor: bigint | null | undefined;
  readonly floor: bigint | undefined;
  readonly head: bigint | undefined;
  readonly holes: readonly PositionRange[];
  readonly reused: readonly PositionRange[];
  readonly coveredFrom: bigint | undefined;
  readonly floorRule: FloorRule;
}

/** What the server did with the attempt. */
export interface ServerAct {
  readonly verdict: 'resumed' | 'refused' | 'fresh' | 'failed';
  /** HTTP status; null when no status line ever came, undefined when not reported. */
  readonly status: number | null | undefined;
  /** The server's own word for its reason. */
  readonly reason: string | null;
  /** JSON-RPC code in the body or in an error event. */
  readonly code: number | null;
  /** What the answer claims to be caught up to; positions where ids are positions. */
  readonly replayed: { readonly count: bigint; readonly first: bigint | null; readonly last: bigint | null } | null;
}

export const ASSESSMENTS = [
  'correct',
  'unsafe_resume',
  'bad_replay',
  'over_refusal',
  'wrong_status',
  'not_applicable',
  'unverifiable',
] as const;

/** What the server's act was worth, measured by the rules (contract section 4). */
export type Assessment = (typeof ASSESSMENTS)[number];
