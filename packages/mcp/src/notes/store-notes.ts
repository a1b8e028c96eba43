import type { SessionLedger } from '../ledger/session-ledger.js';
import { positionOf } from '../log/event-id.js';
import { streamName } from '../stream-name.js';
import type { TelemetryRecord } from '../telemetry/record.js';
import { rpcFacts } from '../telemetry/rpc-facts.js';
import { NOTE_KINDS, type Note, type NoteNames, noteText } from './note.js';

export type EvictCause = (typeof CAUSES)[number];

const CAUSES = ['count', 'bytes', 'age', 'memory', 'stream_end'] as const;

/** A text that is longer is made a record of at once, so that notes stay small. */
const HELD_LENGTH_MAX = 16 * 1024;

/** An event that was stored. `position` is null where the id itself tells it. */
export interface StoredEvent {
  readonly streamId: string;
  readonly eventId: string;
  readonly position: number | null;
  /** Epoch milliseconds; 0 where it was now. */
  readonly at: number;
  /** JSON text of its message. */
  readonly text: string;
}

export interface Eviction {
  readonly streamId: string;
  /** Id of the oldest event that is still retained on the stream. */
  readonly floor: string | null;
  readonly cause: EvictCause;
  readonly at: number;
}

/** Notes that an event was stored. */
export function noteEmit(note: Note, ledger: SessionLedger, event: StoredEvent, names: NoteNames): Note {
  note.begin(NOTE_KINDS.emit, ledger);
  note.at = event.at;
  note.stream = event.streamId;
  note.name = event.eventId;
  note.number = event.position ?? 0;
  note.text = event.text;
  return event.text.length <= HELD_LENGTH_MAX ? note : noteRecord(note, emitRecord(note, ledger.options.token, names));
}

/** Notes that the floor of one stream moved up; `at` in epoch milliseconds, 0 where it was now. */
export function noteEvict(note: Note, ledger: SessionLedger, { streamId, floor, cause, at }: Eviction): Note {
  note.begin(NOTE_KINDS.evict, ledger);
  note.at = at;
  note.stream = streamId;
  note.name = floor;
  note.option = CAUSES.indexOf(cause);
  return note;
}

/** Notes any other record, as it is. */
export function noteRecord(note: Note, record: TelemetryRecord): Note {
  note.begin(NOTE_KINDS.record, null);
  note.record = record;
  return note;
}

export function emitRecord(note: Note, token: string | null, names: NoteNames): TelemetryRecord {
  const text = noteText(note);
  const bytes = Buffer.byteLength(text);
  const content =
    text === '{}'
      ? ({ kind: 'priming', bytes } as const)
      : ({ kind: 'message', rpc: rpcFacts(text === '' ? undefined : JSON.parse(text)), digest: names.digest(text), bytes } as const);
  const eventId = note.name ?? '';
  const position = note.number === 0 ? positionOf(eventId) : note.number;
  return { type: 'emit', ...sessionNames(note, token), stream: streamName(note.stream ?? ''), event_id: eventId, position, ...content };
}

export function evictRecord(note: Note, token: string | null): TelemetryRecord {
  const cause = CAUSES[note.option] ?? 'count';
  return { type: 'evict', ...sessionNames(note, token), stream: streamName(note.stream ?? ''), floor: note.name, cause };
}

/** Members that name the session of a note. */
export function sessionNames({ ledger }: Note, token: string | null): { readonly session: string | null; readonly generation?: string } {
  return ledger?.names ?? { session: token };
}
