import type { RpcId } from '../ledger/stream-call.js';
import type { PositionRange, SessionState } from './facts.js';

/**
 * What is known about a cursor. `undefined` is "cannot be told", which is never the same as null: a fact that
 * is missing is said to be missing, it is not guessed.
 */
export interface CursorFacts {
  readonly sessionState: SessionState | undefined;
  readonly generation: string | null | undefined;
  /** Stream that owns the cursor. */
  readonly stream: string | undefined;
  /** Position of the cursor; null when it was never issued in this session. */
  readonly cursor: bigint | null | undefined;
  readonly requestedGeneration: string | null | undefined;
  readonly floor: bigint | undefined;
  readonly head: bigint | undefined;
  readonly holes: readonly PositionRange[];
  readonly reused: readonly PositionRange[];
  readonly earliestRetainedId: string | null;
  /** The request that the cursor's stream answers and whose answer the client does not have; null where there is none. */
  readonly pendingRequestId: RpcId | null;
}
