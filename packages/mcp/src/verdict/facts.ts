/** `successor`: refuse below floor − 1, since only what follows the cursor must be retained. `retained`: refuse below the floor. */
export type FloorRule = 'successor' | 'retained';

export type SessionState = 'live' | 'evicted' | 'superseded' | 'unknown';

/** Inclusive range of positions. */
export interface PositionRange {
  readonly first: bigint;
  readonly last: bigint;
}

/** Facts of one stream's log; `floor` is `head + 1` when nothing is retained. Ranges are sorted and disjoint. */
export interface LogFacts {
  readonly floor: bigint;
  readonly head: bigint;
  readonly holes: readonly PositionRange[];
  readonly reused: readonly PositionRange[];
  /** First position that this replica heard; null when it heard everything. */
  readonly coveredFrom: bigint | null;
}

/** What a verdict is a function of: never of the range of ids alone. */
export interface ResumeFacts {
  readonly protocolVersion: string | null;
  readonly sessionState: SessionState;
  /** Live generation of the session; null when it has none. */
  readonly generation: string | null;
  /** `Last-Event-ID` as sent; null when the header is absent. */
  readonly lastEventId: string | null;
  /** Position of the last event that the client says it has; null when it was never issued here. */
  readonly cursor: bigint | null;
  /** Generation that the cursor belongs to; null when it cannot be told. */
  readonly requestedGeneration: string | null;
}

export type Reason =
  | 'protocol_era'
  | 'session_unknown'
  | 'session_evicted'
  | 'session_superseded'
  | 'no_cursor'
  | 'malformed_cursor'
  | 'unknown_cursor'
  | 'generation_unknown'
  | 'generation_mismatch'
  | 'ahead_of_head'
  | 'no_coverage'
  | 'below_floor'
  | 'hole'
  | 'id_reused'
  | 'ok';

export interface Decision {
  readonly verdict: 'resume' | 'refuse' | 'fresh' | 'not_applicable';
  readonly reason: Reason;
  /** HTTP status that tells the client the truth. */
  readonly status: 200 | 400 | 404 | 409;
  /** Positions to replay, given exactly for `ok`; a count of 0 is a full success. */
  readonly replay: { readonly from: bigint; readonly to: bigint; readonly count: bigint } | null;
  /** What the client would miss, given for `below_floor` and `hole`. */
  readonly gap: { readonly ranges: readonly PositionRange[]; readonly count: bigint } | null;
  readonly earliestRetained: bigint | null;
  /** Smallest cursor of the live generation that would be accepted now; null when none would be. */
  readonly earliestResumableCursor: bigint | null;
  readonly nextStep: 'reinitialize' | 'drop_cursor' | null;
}
