import { encodePosition } from '@/lib/base/position';
import type { PositionRange } from '@/lib/base/ranges';
import { addHole, clipHolesBelow } from '@/lib/replay/hole-list';
import type { Numbering } from '@/lib/replay/numbering';
import type { TimelineState } from '@/lib/wire/timeline-responses';

/** One stream's log as far as records tell; null where they do not. */
export interface LogSpan {
  floor: bigint | null;
  head: bigint | null;
  holes: PositionRange[];
  /** Events of it may have been issued untold: the lowest that was told is not its floor. */
  hasUnseen: boolean;
}

/** State of one stream between two records. Mutable inside a fold; `copyState` makes a checkpoint of it. */
export interface StreamState {
  numbering: Numbering | null;
  span: LogSpan;
  /** Logs of numberings that were left, newest last: two nodes may write under two generations in turn. */
  left: { readonly numbering: Numbering; readonly span: LogSpan }[];
  /** Last position that each open connection holds. */
  cursors: Map<string, bigint>;
  /** Connection of a refused attempt: its cursor is shown at that step only. */
  refusedConn: string | null;
}

const NUMBERINGS_KEPT_MAX = 8;

const unknownSpan = (): LogSpan => ({ floor: null, head: null, holes: [], hasUnseen: false });

export function emptyState(): StreamState {
  return { numbering: null, span: unknownSpan(), left: [], cursors: new Map(), refusedConn: null };
}

export function copyState(state: StreamState): StreamState {
  return {
    numbering: state.numbering,
    span: copySpan(state.span),
    left: state.left.map(({ numbering, span }) => ({ numbering, span: copySpan(span) })),
    cursors: new Map(state.cursors),
    refusedConn: state.refusedConn,
  };
}

const copySpan = (span: LogSpan): LogSpan => ({ ...span, holes: [...span.holes] });

/** Turns to another numbering. Its connections are gone: a position of one numbering says nothing in another. */
export function enterNumbering(state: StreamState, numbering: Numbering): void {
  if (state.numbering === numbering) return;
  if (state.numbering !== null) {
    state.left.push({ numbering: state.numbering, span: state.span });
    state.cursors.clear();
  }
  const known = state.left.findIndex((left) => left.numbering === numbering);
  // Of a numbering that begins anew the first events may have been kept back as well.
  state.span = state.left[known]?.span ?? { ...unknownSpan(), hasUnseen: state.span.hasUnseen };
  if (known >= 0) state.left.splice(known, 1);
  if (state.left.length > NUMBERINGS_KEPT_MAX) state.left.shift();
  state.numbering = numbering;
}

/** Records were kept back: of what was known only the head is left, as the least that it can be. */
export function forgetUnseen({ span, cursors }: StreamState): void {
  cursors.clear();
  span.floor = null;
  span.holes = [];
  span.hasUnseen = true;
}

/** Heads only rise, and all below a floor was issued. */
export function raiseHead(span: LogSpan, position: bigint): void {
  const told = span.floor !== null && position < span.floor - 1n ? span.floor - 1n : position;
  if (span.head === null || told > span.head) span.head = told;
}

/** An appended run. The first of a log that holds nothing is its floor; a log of unknown extent keeps its unknown floor. */
export function appendRange(span: LogSpan, range: PositionRange): void {
  const { floor, head } = span;
  const isLowest = head === null ? floor === null || floor > range.first : floor !== null && floor > head && range.first > head;
  if (isLowest && !(floor === null && span.hasUnseen)) span.floor = range.first;
  raiseHead(span, range.last);
}

/** Nothing below `floor` is retained any more, so all of it was issued; null when nothing at all is. A floor never goes down. */
export function raiseFloor(span: LogSpan, floor: bigint | null): void {
  const told = floor ?? (span.head === null ? null : span.head + 1n);
  if (told === null) return;
  if (span.floor === null || told > span.floor) span.floor = told;
  if (span.head !== null) raiseHead(span, span.floor - 1n);
  clipHolesBelow(span.holes, span.floor);
}

/** Evicts one range from anywhere in the log. */
export function evictRange(span: LogSpan, range: PositionRange): void {
  raiseHead(span, range.last);
  const first = span.floor !== null && range.first < span.floor ? span.floor : range.first;
  if (first <= range.last) addHole(span.holes, { first, last: range.last });
}

/** The wire form of a state. */
export function encodeState(state: StreamState): TimelineState {
  const { floor, head, holes } = state.span;
  return {
    generation: state.numbering?.generation ?? null,
    floor: floor === null ? null : encodePosition(floor),
    head: head === null ? null : encodePosition(head),
    holes: holes.map(({ first, last }) => [encodePosition(first), encodePosition(last)]),
    cursors: Object.fromEntries([...state.cursors].map(([conn, position]) => [conn, encodePosition(position)])),
  };
}
