import { findElsewhere, findIn } from '@/lib/audit/model/elsewhere';
import { placesOf } from '@/lib/audit/model/id-index';
import { hasPosition } from '@/lib/audit/model/intervals';
import { placeAboveHead } from '@/lib/audit/model/place';
import type { StreamLog } from '@/lib/audit/model/stream-log';
import type { Attempt, ServerState, SessionState, StreamState } from '@/lib/audit/model/types';

export interface CursorOrigin {
  readonly origin: Attempt['origin'];
  /** Place in the live log; null unless the cursor is of it. */
  readonly place: bigint | null;
  /** Numbering the cursor is of, when it is an earlier one. */
  readonly earlier: StreamLog | null;
  /** The history is complete enough to say that an id it does not hold was never issued here. */
  readonly isKnownUnissued: boolean;
  /** The id was issued in the live numbering and in an earlier one. */
  readonly isReissued: boolean;
}

const NONE: CursorOrigin = { origin: 'none', place: null, earlier: null, isKnownUnissued: false, isReissued: false };

/**
 * Finds out whose the presented id is. An id that both the live and an earlier numbering issued is of the one
 * that was written to this client: a number in range proves nothing by itself.
 */
export function originOf(
  server: ServerState,
  session: SessionState,
  stream: StreamState,
  live: StreamLog | null,
  text: string | null,
): CursorOrigin {
  if (text === null || text === '') return NONE;
  const place = live === null ? undefined : placesOf(live.ids, text)[0];
  const earlier = session.hasUnseen ? null : earlierWith(stream, live, text);
  if (place !== undefined && live !== null) {
    const isReissued = earlier !== null;
    if (earlier?.wasWritten && !hasPosition(live.received, place)) {
      return { origin: 'earlier', place, earlier: earlier.log, isKnownUnissued: false, isReissued };
    }
    // An earlier numbering may have issued it too, and written it.
    if (session.hasUnseenEarlier && !hasPosition(live.received, place)) return { ...NONE, origin: 'unknown' };
    return { origin: 'live', place, earlier: null, isKnownUnissued: false, isReissued };
  }
  if (earlier !== null) return earlierOrigin(live, earlier.log, text);
  return { ...NONE, ...unissued(server, session, stream, live, text) };
}

/** The earlier numbering that issued the id and wrote it to this client; else the newest that issued it. */
function earlierWith(stream: StreamState, live: StreamLog | null, text: string): { log: StreamLog; wasWritten: boolean } | null {
  let newest: StreamLog | null = null;
  for (let i = stream.logs.length - 1; i >= 0; i--) {
    const log = stream.logs[i];
    const place = log === undefined || log === live ? undefined : placesOf(log.ids, text)[0];
    if (log === undefined || place === undefined) continue;
    if (hasPosition(log.received, place)) return { log, wasWritten: true };
    newest ??= log;
  }
  return newest === null ? null : { log: newest, wasWritten: false };
}

function earlierOrigin(live: StreamLog | null, earlier: StreamLog, text: string): CursorOrigin {
  const isSameLabel = live !== null && live.generation === earlier.generation;
  const place = isSameLabel && live !== null ? placeAboveHead(live, text) : null;
  return { origin: 'earlier', place, earlier, isKnownUnissued: isSameLabel && place === null, isReissued: false };
}

function unissued(
  server: ServerState,
  session: SessionState,
  stream: StreamState,
  live: StreamLog | null,
  text: string,
): Partial<CursorOrigin> {
  if (live === null && session.streams.size <= 1) return { origin: 'unknown' };
  if (session.hasUnseen) return { origin: 'unknown', place: live === null ? null : placeAboveHead(live, text) };
  for (const other of session.streams.values()) {
    if (other !== stream && findIn(other, text, null) !== null) return { origin: 'foreign', isKnownUnissued: true };
  }
  if (findElsewhere(server, session, stream, live, text) !== null) return { origin: 'foreign', isKnownUnissued: true };
  const above = live === null ? null : placeAboveHead(live, text);
  if (above !== null) return { origin: 'unknown', place: above };
  const isKnownUnissued = live === null ? session.isCreated : live.isWhole && live.ids.forgottenBelow === 0n;
  return { origin: 'unknown', isKnownUnissued };
}
