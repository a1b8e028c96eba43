import { streamOf } from '@/components/session/stream-of';
import type { TelemetryRecord } from '@/lib/wire/schema';

export type Axis = 'time' | 'order';

/** One session of a history. */
export interface SessionPart {
  /** What names it in the URL: the session as its records name it, `none` for records that carry none. */
  readonly key: string;
  readonly server: string;
  /** Places of its records, and of the boots of its server that reach it, in order. */
  readonly indices: readonly number[];
  readonly streams: readonly string[];
  /** Place of its first own record. */
  readonly first: number;
}

/** A history on one clock, with its sessions side by side. */
export interface History {
  readonly records: readonly TelemetryRecord[];
  readonly axis: Axis;
  /** The x of every record, never falling: epoch milliseconds, or its place where some record carries no clock. */
  readonly xs: Float64Array;
  readonly fromX: number;
  readonly toX: number;
  readonly sessions: readonly SessionPart[];
  /** Stream of every record, null for boots and session events. */
  readonly streams: readonly (string | null)[];
}

interface OpenPart {
  readonly key: string;
  readonly server: string;
  readonly indices: number[];
  readonly streams: Set<string>;
  readonly conns: Map<string, string>;
  readonly first: number;
}

/** Puts records on one clock and deals them to their sessions. Linear in the number of records. */
export function readHistory(records: readonly TelemetryRecord[]): History {
  const { axis, xs } = clockOf(records);
  const parts = new Map<string, OpenPart>();
  const boots = new Map<string, number[]>();
  const streams: (string | null)[] = [];
  for (const [index, record] of records.entries()) {
    const server = record.server ?? 'default';
    if (record.type === 'boot') {
      listOf(boots, server).push(index);
      streams.push(null);
    } else {
      const part = partOf(parts, record, server, index);
      part.indices.push(index);
      const stream = streamIn(part, record);
      if (stream !== null) part.streams.add(stream);
      streams.push(stream);
    }
  }
  const sessions = [...parts.values()].map((part) => closePart(part, boots.get(part.server) ?? []));
  if (sessions.length === 0) for (const [server, indices] of boots) sessions.push(bootsAlone(server, indices));
  return { records, axis, xs, fromX: xs[0] ?? 0, toX: xs[xs.length - 1] ?? 0, sessions, streams };
}

/** Place of the last record at or before `x`; the first record where none is. */
export function indexAtX(xs: Float64Array, x: number): number {
  return Math.max(0, countUpTo(xs, x) - 1);
}

/** How many values are at or below `x`; `values` never fall. */
export function countUpTo(values: ArrayLike<number>, x: number): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((values[middle] ?? 0) <= x) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Place, within the session, of its last record at or before record `index` of the history; −1 before its first. */
export function placeIn(part: SessionPart, index: number): number {
  return countUpTo(part.indices, index) - 1;
}

/** The stretch of the clock that a session's own records take. */
export function spanOfPart({ xs }: History, { first, indices }: SessionPart): { readonly fromX: number; readonly toX: number } {
  return { fromX: xs[first] ?? 0, toX: xs[indices.at(-1) ?? first] ?? 0 };
}

function clockOf(records: readonly TelemetryRecord[]): { axis: Axis; xs: Float64Array } {
  const xs = new Float64Array(records.length);
  let last = Number.NEGATIVE_INFINITY;
  for (const [index, { at }] of records.entries()) {
    const instant = typeof at === 'number' ? at : at === undefined ? Number.NaN : Date.parse(at);
    if (Number.isNaN(instant)) return { axis: 'order', xs: xs.map((_, place) => place) };
    last = Math.max(last, instant);
    xs[index] = last;
  }
  return { axis: 'time', xs };
}

function partOf(parts: Map<string, OpenPart>, record: TelemetryRecord, server: string, first: number): OpenPart {
  const key = record.session === undefined ? 'S1' : (record.session ?? 'none');
  const name = `${server}\0${key}`;
  const known = parts.get(name);
  if (known !== undefined) return known;
  const made = { key, server, indices: [], streams: new Set<string>(), conns: new Map<string, string>(), first };
  parts.set(name, made);
  return made;
}

/** A record that names no stream is of the one that its connection was opened on. */
function streamIn(part: OpenPart, record: TelemetryRecord): string | null {
  const conn = 'conn' in record ? record.conn : undefined;
  if (conn === undefined) return streamOf(record);
  if (record.stream !== undefined) part.conns.set(conn, record.stream);
  return record.stream ?? part.conns.get(conn) ?? streamOf(record);
}

/** The newest boot before the session counts too: it says under which generation the session began. */
function closePart(part: OpenPart, boots: readonly number[]): SessionPart {
  const before = countUpTo(boots, part.first);
  const indices = [...part.indices, ...boots.slice(Math.max(0, before - 1))].sort((a, b) => a - b);
  const { key, server, first, streams } = part;
  return { key, server, first, indices, streams: streams.size === 0 ? ['get'] : [...streams] };
}

const bootsAlone = (server: string, indices: readonly number[]): SessionPart => ({
  key: 'none',
  server,
  indices,
  streams: ['get'],
  first: indices[0] ?? 0,
});

function listOf(map: Map<string, number[]>, key: string): number[] {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made: number[] = [];
  map.set(key, made);
  return made;
}
