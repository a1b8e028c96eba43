import { POSITION_MAX, parsePosition } from '@/lib/base/position';
import { clipRanges } from '@/lib/base/ranges';
import { appendRange, evictRange, raiseFloor, raiseHead, type StreamState } from '@/lib/replay/log-state';
import { idsOf, type Numbering, toRange } from '@/lib/replay/numbering';
import type { RecordOf, TelemetryRecord } from '@/lib/wire/schema';
import { toRanges } from '@/lib/wire/to-ranges';

/** Applies one record to the state of its stream; `at` is its place in the stream's history. */
export function foldRecord(state: StreamState, numbering: Numbering, record: TelemetryRecord, at: number): void {
  if (state.refusedConn !== null) state.cursors.delete(state.refusedConn);
  state.refusedConn = null;
  switch (record.type) {
    case 'emit':
      for (const range of numbering.rangesOf(record, at)) appendRange(state.span, range);
      return;
    case 'evict':
      foldEvict(state, numbering, record, at);
      return;
    case 'session':
      foldHead(state, numbering, record, at);
      return;
    case 'open':
      if (record.conn !== undefined) state.cursors.delete(record.conn);
      return;
    case 'resume_attempt':
      foldAttempt(state, numbering, record, at);
      return;
    case 'deliver':
      foldDeliver(state, numbering, record, at);
      return;
    case 'close':
      if (record.conn !== undefined) state.cursors.delete(record.conn);
      return;
    default:
      return;
  }
}

function foldHead(state: StreamState, numbering: Numbering, record: RecordOf<'session'>, at: number): void {
  const head = parsePosition(record.head);
  if (head !== null && speaksPositions(numbering, at)) raiseHead(state.span, head);
}

/** Positions that a record reports are in the server's numbering: of use only while ids are read in it too. */
const speaksPositions = (numbering: Numbering, at: number): boolean => numbering.areIdsNumbers || !numbering.hasEmissionsBy(at);

function foldEvict(state: StreamState, numbering: Numbering, record: RecordOf<'evict'>, at: number): void {
  for (const id of record.event_ids ?? []) {
    const position = numbering.positionOf(String(id), at);
    if (position !== null) evictRange(state.span, { first: position, last: position });
  }
  if (record.floor === null) raiseFloor(state.span, null);
  else if (record.floor !== undefined) {
    const floor = numbering.positionOf(String(record.floor), at);
    if (floor !== null) raiseFloor(state.span, floor);
  }
  const lowest = state.span.holes[0];
  if (lowest !== undefined && lowest.first === state.span.floor) {
    const isAll = state.span.head !== null && lowest.last >= state.span.head;
    raiseFloor(state.span, isAll ? null : numbering.nextIssued(lowest.last + 1n, at));
  }
}

function foldAttempt(state: StreamState, numbering: Numbering, record: RecordOf<'resume_attempt'>, at: number): void {
  if (speaksPositions(numbering, at)) reportLog(state, record);
  if (record.conn === undefined) return;
  state.cursors.delete(record.conn);
  const cursor = presentedCursor(numbering, record, at);
  if (cursor === null) return;
  state.cursors.set(record.conn, cursor);
  if (record.verdict !== 'resumed') state.refusedConn = record.conn;
}

/** A reported log replaces what was folded: the server knows its own log better than the records do. */
function reportLog({ span }: StreamState, record: RecordOf<'resume_attempt'>): void {
  const head = parsePosition(record.head);
  const floor = parsePosition(record.floor);
  if (head !== null) raiseHead(span, head);
  if (floor !== null) raiseFloor(span, floor);
  if (record.holes !== undefined) span.holes = clipRanges(toRanges(record.holes), span.floor ?? 0n, span.head ?? POSITION_MAX);
}

/** Position that an attempt presents in this numbering, null when it names none there. */
export function presentedCursor(numbering: Numbering, record: RecordOf<'resume_attempt'>, at: number): bigint | null {
  const told = speaksPositions(numbering, at) ? parsePosition(record.cursor) : null;
  if (told !== null) return told;
  return typeof record.last_event_id === 'string' ? numbering.positionOf(record.last_event_id, at) : null;
}

/** An empty `id:` field clears the client's cursor; frames without an id leave it where it was. */
function foldDeliver(state: StreamState, numbering: Numbering, record: RecordOf<'deliver'>, at: number): void {
  if (record.conn === undefined || record.without_id === true) return;
  const ids = record.range === undefined ? idsOf(record) : [String(toRange(record.range).last)];
  if (ids.at(-1) === '') {
    state.cursors.delete(record.conn);
    return;
  }
  const isIssued = (position: bigint): boolean => !numbering.hasEmissionsBy(at) || state.span.head === null || position <= state.span.head;
  for (const id of ids.reverse()) {
    const position = numbering.positionOf(id, at);
    if (position === null || !isIssued(position)) continue;
    state.cursors.set(record.conn, position);
    return;
  }
}
