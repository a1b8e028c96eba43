import type { LogFacts, ResumeRequest, SessionFacts } from '@/lib/resume/types';
import type { SessionLog } from '@/lib/session-log/session-log';
import type { StreamLog } from '@/lib/session-log/stream-log';

/** Everything that `decide` asks for, and the stream that an accepted cursor resumes. */
export interface LocatedCursor {
  readonly session: SessionFacts;
  readonly log: LogFacts;
  readonly request: ResumeRequest;
  /** Stream of the live generation that the cursor belongs to; null when it belongs to none for certain. */
  readonly stream: StreamLog | null;
  /** False when the position in `request` stands for "issued somewhere, we do not know where". */
  readonly isPositionKnown: boolean;
  /** The calls that wait for the cursor's stream, see `pendingText`; null when none does. */
  readonly pendingRequestId: string | null;
}

/** Facts of a log that holds nothing: what there is to say about a cursor that belongs to no known stream. */
const EMPTY_LOG: LogFacts = { floor: 1n, head: 0n, holes: [], reused: [], coveredFrom: null };

/** Facts of a log that keeps nothing of what it held: a cursor before all of it is below its floor. */
const DROPPED_LOG: LogFacts = { ...EMPTY_LOG, floor: 3n, head: 2n };

/**
 * Finds what a presented cursor means in a session. Where the log cannot be sure which generation issued the
 * cursor, the generation is null, which `decide` refuses as `generation_unknown`: doubt is never a pass. That is
 * the case for an id issued both before and after a rebuild, for one that was issued again after it was forgotten, and for any unseen id of a session that was already
 * alive when this log began.
 *
 * `principal` is the keyed hash of the presented credential: to anybody but its owner a session is unknown.
 */
export function locateCursor(
  log: SessionLog | null,
  principal: string,
  lastEventId: string | null,
  protocolVersion: string | null,
): LocatedCursor {
  const nowhere = (session: SessionFacts, cursor: bigint | null): LocatedCursor => ({
    session,
    log: EMPTY_LOG,
    request: { cursor, lastEventId, generation: null, protocolVersion },
    stream: null,
    isPositionKnown: cursor === null,
    pendingRequestId: null,
  });
  if (log === null || log.principal !== principal) return nowhere({ state: 'unknown', generation: null }, null);
  if (log.state === 'evicted' || log.isFenced) return nowhere({ state: 'evicted', generation: null }, null);

  const session: SessionFacts = { state: 'live', generation: log.generation };
  if (lastEventId === null || lastEventId === '') return nowhere(session, null);
  const owner = log.owner(lastEventId);
  const past = log.pastCursor(lastEventId);
  if (owner !== undefined && owner !== null) {
    const { stream, position } = owner;
    const isProved = owner.isNew && log.isOfNoOther(lastEventId) && !isCountedBefore(log, lastEventId);
    return {
      session,
      log: stream.facts(),
      request: { cursor: BigInt(position), lastEventId, generation: isProved ? log.generation : null, protocolVersion },
      stream,
      isPositionKnown: true,
      pendingRequestId: stream.pendingRequestId,
    };
  }
  if (owner === null) return nowhere(session, null);
  if (past !== null) {
    return {
      ...nowhere(session, BigInt(past.position)),
      request: { cursor: BigInt(past.position), lastEventId, generation: past.generation, protocolVersion },
      isPositionKnown: true,
      pendingRequestId: past.pendingRequestId,
    };
  }
  if (log.isDropped(lastEventId))
    return { ...nowhere(session, 0n), log: DROPPED_LOG, request: { cursor: 0n, lastEventId, generation: log.generation, protocolVersion } };
  return nowhere(session, isPerhapsIssued(log, lastEventId) ? 0n : null);
}

/** Whether an id that is not remembered may have been issued, in a generation that is not known. */
const isPerhapsIssued = (log: SessionLog, id: string): boolean => !log.isHeardFromStart || log.isForgotten(id);

/** Ids that are shorter are counted, or may be: another stream or generation can have come by the same one. */
const UNIQUE_CHARS = 16;

/** Whether an id may have been issued before this log began, beside being issued since. */
const isCountedBefore = (log: SessionLog, id: string): boolean => !log.isHeardFromStart && id.length < UNIQUE_CHARS;
