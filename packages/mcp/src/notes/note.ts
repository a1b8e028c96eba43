import type { SessionLedger } from '../ledger/session-ledger.js';
import type { TelemetryRecord } from '../telemetry/record.js';

/** What a note tells of. */
export const NOTE_KINDS = { emit: 0, evict: 1, record: 2, request: 3, open: 4, close: 5, deliver: 6 } as const;

export type NoteKind = (typeof NOTE_KINDS)[keyof typeof NOTE_KINDS];

/**
 * What the option of a note chooses: whether a `request` carried the session's token, what opened a stream, whether
 * a delivery opened it, who closed it.
 */
export const CHOICES = { withoutToken: 0, withToken: 1, byGet: 0, byPost: 1, goesOn: 0, opens: 1, byClient: 0, byServer: 1 } as const;

/** Makes the records of a note; `token` is the session that it is of, null where the request carried none. */
export type ReadNote = (note: Note, token: string | null) => readonly TelemetryRecord[];

/** What the records of a note need beside it. */
export interface NoteNames {
  /** Keyed hash of a text. */
  digest(text: string): string;
  /** The name of a numbered HTTP exchange. */
  connName(number: number): string;
}

/**
 * What happened, before anybody wants a record of it. Every request leaves several of these and hardly any is ever
 * told, so one object is filled anew for each; whoever keeps it copies what is in it. A kind says what it uses.
 */
export class Note {
  kind: NoteKind = NOTE_KINDS.record;
  /** The session's book; null where it has none. */
  ledger: SessionLedger | null = null;
  /** Epoch milliseconds; 0 until it is kept or told. */
  at = 0;
  /** Number of the HTTP exchange, or the event's position; 0 where there is none. */
  number = 0;
  /** One of a few choices, by kind. */
  option = 0;
  status: number | null = null;
  code: number | null = null;
  stream: string | null = null;
  name: string | null = null;
  /** Protocol revision that the request named, where it is not the session's own. */
  version: string | null = null;
  text: string | Uint8Array | null = null;
  /** Of a note that tells of a stream's opening, the body of the request; it is kept with the note of the request alone. */
  body: string | Uint8Array | null = null;
  /** Of a `deliver` note, when the connection was closed right after it, in epoch milliseconds; 0 where it was not. */
  closedAt = 0;
  /** And by whom. */
  closedBy = 0;
  /** Of a `record` note, the record as it is; kept as its JSON text. */
  record: TelemetryRecord | null = null;

  /** Empties it for what comes next. */
  begin(kind: NoteKind, ledger: SessionLedger | null): this {
    this.kind = kind;
    this.ledger = ledger;
    this.at = 0;
    this.number = 0;
    this.option = 0;
    this.status = null;
    this.code = null;
    this.stream = null;
    this.name = null;
    this.version = null;
    this.text = null;
    this.body = null;
    this.closedAt = 0;
    this.closedBy = 0;
    this.record = null;
    return this;
  }
}

/** The text of a note, whichever way it is held. */
export const noteText = ({ text }: Note): string => asText(text);

export function asText(text: string | Uint8Array | null): string {
  if (text === null || typeof text === 'string') return text ?? '';
  return Buffer.from(text.buffer, text.byteOffset, text.byteLength).toString();
}
