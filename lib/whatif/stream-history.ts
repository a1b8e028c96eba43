import type { PositionRange } from '@/lib/base/ranges';
import { addHole } from '@/lib/replay/hole-list';
import type { StreamEntry, StreamTrack } from '@/lib/replay/locate-record';
import type { StreamState } from '@/lib/replay/log-state';
import { idsOf, type Numbering, toRange } from '@/lib/replay/numbering';
import { newFold, type StreamFold } from '@/lib/replay/stream-fold';
import type { SessionState } from '@/lib/resume/types';
import { EmissionLog } from '@/lib/whatif/emission-log';
import type { RecordOf, TelemetryRecord } from '@/lib/wire/schema';

/** A value that holds from one place of the stream's history on. */
interface Since<T> {
  readonly by: number;
  readonly value: T;
}

/** What one numbering issued, what of it reached a client, and what no buffer would have kept. */
export interface NumberingHistory {
  readonly emissions: EmissionLog;
  readonly delivered: PositionRange[];
  /** Places below which all is gone because the stream ended or the process restarted. */
  readonly lostBelow: Since<bigint>[];
}

/** What the facts of an attempt need beyond the folded state of its stream. */
export interface StreamHistory {
  readonly track: StreamTrack;
  /** For the state at other instants than the attempt's own. */
  readonly fold: StreamFold;
  /** Newest last. */
  readonly numberings: Map<Numbering, NumberingHistory>;
  readonly sessionStates: Since<SessionState>[];
  /** Instant of the newest close, epoch milliseconds. */
  closedAt: number | null;
  /** Place of the newest entry before which records of the session were kept back; null where none were. */
  unseenBefore: number | null;
  /** Instants of the entries, never falling; −Infinity before the first that carries one. */
  readonly instants: number[];
}

export const newHistory = (track: StreamTrack): StreamHistory => ({
  track,
  fold: newFold(track),
  numberings: new Map(),
  sessionStates: [],
  closedAt: null,
  unseenBefore: null,
  instants: [],
});

const STATE_AFTER: Readonly<Record<RecordOf<'session'>['event'], SessionState>> = {
  created: 'live',
  restored: 'live',
  ended: 'evicted',
  evicted: 'evicted',
  superseded: 'superseded',
};

/** Takes note of entry `at`, which `state` has already been folded over. */
export function noteEntry(history: StreamHistory, state: StreamState, entry: StreamEntry, at: number): void {
  const { record, numbering } = entry;
  if (entry.isAfterUnseen) {
    history.unseenBefore = at;
    history.closedAt = null;
  }
  const instant = instantOf(record);
  history.instants.push(Math.max(history.instants.at(-1) ?? Number.NEGATIVE_INFINITY, instant ?? Number.NEGATIVE_INFINITY));
  const own = numberingHistory(history, numbering);
  if (record.type === 'emit') own.emissions.append(numbering.rangesOf(record, at), at, instant, record.bytes ?? null);
  else if (record.type === 'deliver') noteDelivery(own, numbering, record, at);
  else if (record.type === 'session') history.sessionStates.push({ by: at, value: STATE_AFTER[record.event] });
  else if (record.type === 'close') history.closedAt = instant;
  else if (record.type === 'evict' && (record.cause === 'stream_end' || record.cause === 'restart') && state.span.floor !== null) {
    own.lostBelow.push({ by: at, value: own.emissions.countBelow(state.span.floor, own.emissions.segmentsBy(at)) });
  }
}

export function numberingHistory(history: StreamHistory, numbering: Numbering): NumberingHistory {
  const known = history.numberings.get(numbering);
  if (known !== undefined) return known;
  const made = { emissions: new EmissionLog(), delivered: [], lostBelow: [] };
  history.numberings.set(numbering, made);
  return made;
}

function noteDelivery(own: NumberingHistory, numbering: Numbering, record: RecordOf<'deliver'>, at: number): void {
  const positions = record.range === undefined ? idsOf(record).map((id) => numbering.positionOf(id, at)) : [];
  for (const position of positions) if (position !== null) addHole(own.delivered, { first: position, last: position });
  if (record.range !== undefined && numbering.areIdsNumbers) addHole(own.delivered, toRange(record.range));
}

/** The newest value set by place `by`. */
export function valueAt<T>(values: readonly Since<T>[], by: number): T | undefined {
  return values.findLast((value) => value.by <= by)?.value;
}

/** Epoch milliseconds of a record, null when it carries no instant. */
export function instantOf(record: TelemetryRecord): number | null {
  if (record.at === undefined) return null;
  return typeof record.at === 'number' ? record.at : Date.parse(record.at);
}
