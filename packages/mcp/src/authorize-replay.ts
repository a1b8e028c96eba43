import { type PositionLike, readPosition } from './position.js';
import { decideResume } from './verdict/decide.js';
import type { Decision, FloorRule, Reason, SessionState } from './verdict/facts.js';

/** What a server knows of the session whose replay is asked for. */
export interface ReplaySession {
  /** Identity of the live numbering; compared as text and for equality only. */
  readonly generation: string | number;
  /** Lowest retained position, inclusive; `head + 1` when nothing is retained. */
  readonly floor: PositionLike;
  /** Highest position ever assigned in this generation, inclusive. */
  readonly head: PositionLike;
  /** @defaultValue `live` */
  readonly state?: SessionState;
  /** @defaultValue `successor` */
  readonly floorRule?: FloorRule;
}

/** A replay that must not happen: the session is gone, or the cursor is not of its live history. */
export class ResumptionTokenError extends Error {
  override readonly name = 'ResumptionTokenError';
  readonly code = 'resumption_refused';

  constructor(
    readonly reason: Exclude<Reason, 'ok'>,
    /** HTTP status to answer with. */
    readonly status: Decision['status'],
    readonly decision: Decision,
    message: string,
  ) {
    super(message);
  }
}

/**
 * Returns the replay that is owed, or throws. All three must hold: the session is live, the cursor is of its
 * live generation, and everything after the cursor is retained. A number in range excuses nothing else.
 *
 * @param session what is known under the token; null when nothing is.
 * @param requestedGeneration generation at which the cursor was issued; null when it cannot be told.
 * @param lastEventId position of the last event that the client has; a text that is no position was never issued.
 * @throws ResumptionTokenError with `reason` and `status`.
 */
export function authorizeReplay(
  session: ReplaySession | null | undefined,
  requestedGeneration: string | number | null,
  lastEventId: PositionLike,
): { readonly from: bigint; readonly to: bigint; readonly count: bigint } {
  const head = readPosition(session?.head) ?? 0n;
  const floor = readPosition(session?.floor) ?? head + 1n;
  if (floor > head + 1n) throw new TypeError(`floor ${floor} must be at most head + 1, head is ${head}`);
  const cursor = readPosition(lastEventId);
  const generation = session === null || session === undefined ? null : String(session.generation);
  const decision = decideResume(
    {
      protocolVersion: null,
      sessionState: session === null || session === undefined ? 'unknown' : (session.state ?? 'live'),
      generation,
      lastEventId: String(lastEventId),
      cursor,
      requestedGeneration: requestedGeneration === null ? null : String(requestedGeneration),
    },
    { floor, head, holes: [], reused: [], coveredFrom: null },
    session?.floorRule ?? 'successor',
  );
  if (decision.reason === 'ok' && decision.replay !== null) return decision.replay;
  const reason = decision.reason === 'ok' ? 'unknown_cursor' : decision.reason;
  const numbers = `cursor ${lastEventId} of generation ${requestedGeneration ?? 'unknown'}; live: generation ${generation ?? 'none'}, floor ${floor}, head ${head}`;
  throw new ResumptionTokenError(reason, decision.status, decision, `replay refused, ${reason}: ${adviceFor(reason)} (${numbers})`);
}

function adviceFor(reason: Reason): string {
  return reason === 'malformed_cursor' || reason === 'no_cursor' ? 'send no Last-Event-ID' : 'the client must initialize again';
}
