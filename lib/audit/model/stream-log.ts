import { emptyIdIndex, forgetIdsBelow, type IdIndex, idAt } from '@/lib/audit/model/id-index';
import { addInterval, forgetBelow, type Intervals, minus } from '@/lib/audit/model/intervals';
import { type Labels, noLabels } from '@/lib/audit/model/labels';
import type { PositionRange } from '@/lib/base/ranges';

/** What the messages of a stretch of a log were. */
export interface RpcNote {
  first: bigint;
  last: bigint;
  type: string | null;
  method: string | null;
  id: string | null;
  progressToken: string | null;
}

/**
 * One stream's log in one numbering. Places count events in the order of their emission from 0; they are the
 * audit's own and never shown. A log whose numbering restarted under the same label is a log of its own.
 */
export interface StreamLog {
  server: string;
  session: string | null;
  stream: string;
  generation: string | null;
  /** How often numbering restarted under this label before. */
  restarts: number;
  ids: IdIndex;
  labels: Labels;
  /** Lowest retained place; `ids.next` when nothing is. */
  floor: bigint;
  holes: Intervals;
  /** The history holds this log from its first event on. */
  isWhole: boolean;
  /** Place from which on every event was told; below it are events, and maybe more between them, of before records were kept back. */
  toldFrom: bigint;
  /** High-water mark reported with the session, in the server's numbers. */
  reportedHead: bigint | null;
  priming: Intervals;
  /** Withheld from this client on purpose. */
  withheld: Intervals;
  notes: RpcNote[];
  digests: Map<bigint, string>;
  /** Places of ids that were issued again later, or repeat an earlier one. */
  reused: Intervals;
  /** Written to this session's client under an id, as far as its later cursors did not deny it. */
  received: Intervals;
  /** Written under an id once, though a later cursor denied it: to the client the event may not be new. */
  denied: Intervals;
  /** Written to this session's client in frames without an id. */
  receivedWithoutId: Intervals;
  firstIndex: number;
  lastIndex: number;
  /** Records that appended the newest events, newest last, for the proof. */
  emits: { first: bigint; index: number }[];
  lastEmitAt: number | null;
}

const DIGESTS_MAX = 16_384;
const NOTES_MAX = 4_096;
const EMITS_MAX = 256;
/** Evicted events whose content is still remembered, to tell an id issued again from a repeated record. */
const CONTENTS_KEPT = 256n;
/** Evicted ids that are still remembered, so that a cursor below the floor can be placed. */
const EVICTED_KEPT = 4_096n;

export function newStreamLog(server: string, session: string | null, stream: string, generation: string | null, index: number): StreamLog {
  return {
    server,
    session,
    stream,
    generation,
    restarts: 0,
    ids: emptyIdIndex(),
    labels: noLabels(),
    floor: 0n,
    holes: [],
    isWhole: true,
    toldFrom: 0n,
    reportedHead: null,
    priming: [],
    withheld: [],
    notes: [],
    digests: new Map(),
    reused: [],
    received: [],
    denied: [],
    receivedWithoutId: [],
    firstIndex: index,
    lastIndex: index,
    emits: [],
    lastEmitAt: null,
  };
}

/** Events in the log; the newest is at `length − 1`. */
export const lengthOf = (log: StreamLog): bigint => log.ids.next;

/** Whether the newest event of the log is known: none may have been kept back since. */
export const isHeadKnown = (log: StreamLog): boolean => log.toldFrom === 0n || log.toldFrom < log.ids.next;

export const textAt = (log: StreamLog, place: bigint): string | null => idAt(log.ids, place);

/** The part of `ranges` that carried a message to this client. */
export function messagesIn(log: StreamLog, ranges: readonly PositionRange[]): PositionRange[] {
  return minus(minus(ranges, log.withheld), log.priming);
}

export function addNote(log: StreamLog, note: RpcNote): void {
  log.notes.push(note);
  if (log.notes.length > NOTES_MAX) log.notes.splice(0, NOTES_MAX / 2);
}

export function addDigest(log: StreamLog, place: bigint, digest: string): void {
  log.digests.set(place, digest);
  if (log.digests.size <= DIGESTS_MAX) return;
  const [oldest] = log.digests.keys();
  if (oldest !== undefined) log.digests.delete(oldest);
}

export function addEmit(log: StreamLog, first: bigint, index: number): void {
  log.emits.push({ first, index });
  if (log.emits.length > EMITS_MAX) log.emits.splice(0, EMITS_MAX / 2);
}

/** Record that appended the event at a place, null when it was forgotten. */
export function emitIndexOf(log: StreamLog, place: bigint): number | null {
  const emit = log.emits.findLast((candidate) => candidate.first <= place);
  return emit === undefined ? null : emit.index;
}

/** Notes that touch any of the ranges, clipped to nothing: a note says what its whole stretch was. */
export function notesIn(log: StreamLog, ranges: readonly PositionRange[]): RpcNote[] {
  return log.notes.filter((note) => ranges.some((range) => note.first <= range.last && note.last >= range.first));
}

/** Raises the floor to a place (clamped to the log); what lies below is forgotten but for the newest ids. */
export function raiseFloor(log: StreamLog, place: bigint): void {
  const floor = place > lengthOf(log) ? lengthOf(log) : place;
  if (floor <= log.floor) return;
  log.floor = floor;
  for (let hole = log.holes[0]; hole !== undefined && hole.first <= log.floor; hole = log.holes[0]) {
    if (hole.last + 1n > log.floor) log.floor = hole.last + 1n;
    log.holes.shift();
  }
  forgetContents(log, log.floor - CONTENTS_KEPT);
  const keep = log.floor - EVICTED_KEPT;
  if (keep <= log.ids.forgottenBelow + EVICTED_KEPT) return;
  forgetIdsBelow(log.ids, keep);
  for (const set of [log.priming, log.withheld, log.reused, log.received, log.receivedWithoutId]) forgetBelow(set, keep);
}

/** Digests and notes stand in order of their places, so the old ones are at the front. */
function forgetContents(log: StreamLog, keep: bigint): void {
  for (const place of log.digests.keys()) {
    if (place >= keep) break;
    log.digests.delete(place);
  }
  const first = log.notes.findIndex((note) => note.last >= keep);
  if (first !== 0 && log.notes.length > 0) log.notes.splice(0, first < 0 ? log.notes.length : first);
}

/** Takes single events out of the log: from its front they raise the floor, inside it they leave a hole. */
export function punchHole(log: StreamLog, first: bigint, last: bigint): void {
  addInterval(log.holes, first, last);
  const front = log.holes[0];
  if (front !== undefined && front.first <= log.floor) raiseFloor(log, front.last + 1n);
}
