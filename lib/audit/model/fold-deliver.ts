import { addProof, startConn, tally } from '@/lib/audit/model/conns';
import { type Elsewhere, findElsewhere } from '@/lib/audit/model/elsewhere';
import { placesOf } from '@/lib/audit/model/id-index';
import { addInterval, hasPosition, type Intervals, removeInterval, within } from '@/lib/audit/model/intervals';
import { generationOf, logOf, streamIn } from '@/lib/audit/model/sessions';
import { messagesIn, type StreamLog, textAt } from '@/lib/audit/model/stream-log';
import type { Conn, ServerState, SessionState, StreamState } from '@/lib/audit/model/types';
import { parsePosition } from '@/lib/base/position';
import { countPositions } from '@/lib/base/ranges';
import type { RecordOf } from '@/lib/wire/schema';

type Deliver = RecordOf<'deliver'>;

const INTERVALS_MAX = 8_192;

interface Writing {
  readonly session: SessionState;
  readonly serverState: ServerState;
  readonly stream: StreamState;
  readonly conn: Conn;
  readonly log: StreamLog | null;
  readonly hasId: boolean;
  readonly index: number;
  elsewhere: Elsewhere | null;
}

/** Books the frames of a `deliver` record on their connection and answers it. */
export function foldDeliver(server: ServerState, session: SessionState, record: Deliver, index: number, at: number | null): Conn {
  const name = record.conn ?? `?${record.stream ?? 'get'}`;
  let conn = session.conns.get(name);
  const streamName = record.stream ?? conn?.stream ?? 'get';
  conn ??= startConn(session, { name, stream: streamName, kind: 'implied', isAccepted: true, status: undefined, node: null, index, at });
  const stream = streamIn(session, conn.stream === streamName || conn.kind !== 'implied' ? conn.stream : streamName);
  const log = logOf(stream, generationOf(session, record.generation));
  if (conn.log === null && log !== null) conn.log = log;
  const writing: Writing = { session, serverState: server, stream, conn, log, hasId: record.without_id !== true, index, elsewhere: null };
  if (record.range !== undefined) writeRange(writing, record.range);
  else for (const [i, id] of (record.event_ids ?? []).entries()) writeOne(writing, String(id), record.digests?.[i] ?? null);
  conn.lastFrameIndex = index;
  conn.lastFrameAt = at ?? conn.lastFrameAt;
  addProof(conn, index);
  session.hasDeliveries = true;
  return conn;
}

function writeRange(writing: Writing, range: readonly [unknown, unknown]): void {
  const first = parsePosition(range[0]);
  const last = parsePosition(range[1]);
  if (first === null || last === null) return;
  const { log } = writing;
  const from = log === null ? undefined : placesOf(log.ids, String(first))[0];
  const to = log === null ? undefined : placesOf(log.ids, String(last))[0];
  if (log !== null && from !== undefined && to === from + last - first) {
    writePlaces(writing, log, from, to);
    return;
  }
  // Not one stretch of this log: look at its ends only, a range of any length must cost the same.
  if (last - first < 4_096n) {
    for (let number = first; number <= last; number++) writeOne(writing, number.toString(), null);
    return;
  }
  if (from === undefined && to === undefined) writeForeign(writing, String(first), String(last), last - first + 1n);
  else writing.conn.frames += last - first + 1n;
}

function writeOne(writing: Writing, text: string, digest: string | null): void {
  const { conn, log } = writing;
  if (text === '') {
    if (writing.stream.held !== null) writing.stream.held.isCleared = true;
    conn.frames++;
    return;
  }
  const places = log === null ? [] : placesOf(log.ids, text);
  const place = places.length > 1 && log !== null ? placeByDigest(log, places, digest, conn) : places[0];
  if (place !== undefined && log !== null) writePlaces(writing, log, place, place);
  else writeForeign(writing, text, text, 1n);
}

/** Of several events under one id: the one with this content, else the first not yet written here. */
function placeByDigest(log: StreamLog, places: readonly bigint[], digest: string | null, conn: Conn): bigint | undefined {
  if (digest !== null) {
    const same = places.find((place) => log.digests.get(place) === digest);
    if (same !== undefined) return same;
  }
  return places.find((place) => !hasPosition(conn.written, place) && !hasPosition(log.received, place)) ?? places[0];
}

function writePlaces(writing: Writing, log: StreamLog, first: bigint, last: bigint): void {
  const { conn, hasId, index } = writing;
  const count = last - first + 1n;
  conn.frames += count;
  const isPriming = count === 1n && hasPosition(log.priming, first);
  if (!isPriming) conn.messages += count;
  if (!hasId) tally(conn.withoutId, count, textAt(log, first), textAt(log, last), index);
  if (log === conn.log) bookOwn(writing, log, first, last);
  const received = hasId ? log.received : log.receivedWithoutId;
  addInterval(received, first, last);
  if (received.length > INTERVALS_MAX) received.splice(0, INTERVALS_MAX / 2);
  if (hasId) hold(writing, log, last);
}

function bookOwn(writing: Writing, log: StreamLog, first: bigint, last: bigint): void {
  const { conn } = writing;
  countRepeats(writing, log, first, last);
  conn.firstWritten ??= first;
  if (conn.owedFrom !== null) {
    if (first > conn.owedFrom) addInterval(conn.skipped, conn.owedFrom, first - 1n);
    if (last >= conn.owedFrom) conn.owedFrom = last + 1n;
  }
  if (conn.skipped.length > 0) removeInterval(conn.skipped, first, last);
  if (conn.lostCursor !== null && first > conn.lostCursor.place) conn.lostCursor.isHarmful = true;
  addInterval(conn.written, first, last);
  if (conn.written.length > INTERVALS_MAX) conn.written.splice(0, INTERVALS_MAX / 2);
}

/**
 * Sent again: written on this connection before; or the client's cursor said that it had it; or it was written
 * before in a frame without an id, which no cursor could tell. With an unknown cursor, what was written before
 * counts, unless the cursor may have been issued in what was kept back. After an older cursor the same event again is redelivery, no fault.
 */
function countRepeats({ conn, index, session: { hasUnseen } }: Writing, log: StreamLog, first: bigint, last: bigint): void {
  const had: Intervals = [];
  const add = (set: Intervals): void => {
    for (const range of within(set, first, last)) addInterval(had, range.first, range.last);
  };
  add(conn.written);
  const { attempt, cursor } = conn;
  if (attempt?.verdict === 'resumed') {
    if (cursor !== null && first <= cursor) addInterval(had, first, last < cursor ? last : cursor);
    if (cursor === null && attempt.origin !== 'earlier' && !hasUnseen && last < attempt.length) add(log.received);
    add(log.receivedWithoutId);
  }
  if (had.length === 0) return;
  const again = messagesIn(log, had);
  const [range] = again;
  if (range !== undefined)
    tally(conn.repeats, countPositions(again), textAt(log, range.first), textAt(log, again.at(-1)?.last ?? last), index);
}

function hold(writing: Writing, log: StreamLog, place: bigint): void {
  const { stream, index } = writing;
  const text = textAt(log, place) ?? '';
  const { held } = stream;
  if (held === null) stream.held = { log, place, text, index, isCleared: false, isRefused: false };
  else {
    held.log = log;
    held.place = place;
    held.text = text;
    held.index = index;
    held.isCleared = false;
    held.isRefused = false;
  }
}

/** An id that the connection's own log does not hold: of an earlier numbering, another stream, another session, or unseen. */
function writeForeign(writing: Writing, first: string, last: string, count: bigint): void {
  const { conn, index } = writing;
  conn.frames += count;
  conn.messages += count;
  if (!writing.hasId) tally(conn.withoutId, count, first, last, index);
  const found = findElsewhere(writing.serverState, writing.session, writing.stream, writing.log, first);
  if (found === null) return;
  if (found.kind === 'earlier') {
    const place = placesOf(found.log.ids, last)[0];
    tally(conn.earlier, count, first, last, index);
    if (place !== undefined && writing.hasId) hold(writing, found.log, place);
  } else tally(found.kind === 'stream' ? conn.otherStream : conn.otherSession, count, first, last, index);
}
