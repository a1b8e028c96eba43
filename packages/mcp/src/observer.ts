import { createHmac, randomBytes } from 'node:crypto';
import type { ReplayReport } from './attempt-record.js';
import { SessionBook } from './ledger/session-book.js';
import type { SessionLedger } from './ledger/session-ledger.js';
import { Note } from './notes/note.js';
import { noteReader } from './notes/read-note.js';
import { FlightRecorder } from './recorder/flight-recorder.js';
import type { TelemetryRecord } from './telemetry/record.js';
import type { Sender } from './telemetry/sender.js';
import { uuidV7Source } from './telemetry/uuid-v7.js';
import type { CursorFacts } from './verdict/cursor-facts.js';

/** Digests that are remembered, and the longest text that is. */
const DIGESTS_MAX = 256;
const DIGESTED_LENGTH_MAX = 4096;

export interface ObserverOptions {
  readonly server: string;
  readonly node: string;
  readonly generation: string;
  readonly hashKey: string;
  readonly hashSessions: boolean;
  readonly maxSessions: number;
  readonly maxIdsPerSession: number;
  /** Tells every record at once instead of keeping it at hand. */
  readonly isEverything: boolean;
  readonly sampleShare: number;
  readonly recordsPerSession: number;
  readonly bytesAtHand: number;
  readonly wholeMs: number;
}

/** Who reports an attempt with the status that its client got; without one the store reports it alone. */
export interface ReplaySink {
  /** Whether a store has told it of a replay: it is no other's then. */
  readonly isTaken: boolean;
  /** The store is asked for the replay. */
  begun(facts: CursorFacts): void;
  ended(report: ReplayReport): void;
}

/** What store and guard share: the book of sessions, and one way to report. Nothing here throws into a server. */
export class Observer {
  readonly book: SessionBook;
  readonly #uuid = uuidV7Source(Date.now);
  readonly #connPrefix = randomBytes(4).toString('hex');
  readonly #generations = new Map<string, number>();
  readonly #startListeners: ((token: string) => void)[] = [];
  /** Whether event stores are wrapped, so that a session without a book is known not to exist. */
  watchesStores = false;
  readonly #recorder: FlightRecorder;
  /** The one note that is filled in for whatever happens, and noted before anything else does. */
  readonly blank = new Note();
  /** Members that open every record, as JSON text. */
  readonly #names: string;
  readonly #digests = new Map<string, string>();
  /** Resumes that a guard let through and whose replay has not begun, by session and cursor. */
  readonly #expected = new Map<string, ReplaySink[]>();
  #conns = 0;

  constructor(
    readonly options: ObserverOptions,
    readonly sender: Sender,
  ) {
    this.book = new SessionBook(options.maxSessions, options.maxIdsPerSession);
    this.#names = JSON.stringify({ server: options.server, node: options.node }).slice(1, -1);
    const { isEverything, recordsPerSession, bytesAtHand: bytes, maxSessions: sessions, wholeMs } = options;
    const isSampled = (token: string) => this.#isSampled(token);
    this.#recorder = new FlightRecorder(
      { isEverything, isSampled, isSession: (token) => this.book.has(token), recordsPerSession, bytes, sessions, wholeMs },
      noteReader(this),
      (record, at, withheld) => this.sender.push(this.#line(record, at, withheld)),
    );
  }

  /** Tells a record at once. `isTrouble` has the recent history of its session told before it. */
  record(record: TelemetryRecord, isTrouble = false): void {
    this.quietly(() => this.#recorder.always(record.session ?? null, record, isTrouble));
  }

  /** Notes what is told with the session; without one there is no history to keep it for, and it is told at once. */
  note(token: string | null, note: Note, isTrouble = false): void {
    try {
      if (token === null) this.#recorder.noteOfNone(note);
      else this.#recorder.note(token, note, isTrouble);
    } catch (cause) {
      this.failed(cause);
    }
  }

  /** Says that a session is in use. */
  touch(token: string): void {
    this.#recorder.touch(token);
  }

  /** Has the replay of this cursor, when the session's store is asked for it, told to `sink`. */
  expectReplay(token: string, lastEventId: string, sink: ReplaySink): void {
    const key = `${token}\0${lastEventId}`;
    const sinks = this.#expected.get(key);
    if (sinks === undefined) this.#expected.set(key, [sink]);
    else sinks.push(sink);
  }

  /** Who waits for the replay of this cursor, the first who came. */
  replaySink(token: string, lastEventId: string): ReplaySink | undefined {
    return this.#expected.get(`${token}\0${lastEventId}`)?.find(({ isTaken }) => !isTaken);
  }

  /** The exchange is over, whether or not there was a replay. */
  forgetReplay(token: string, lastEventId: string, sink: ReplaySink): void {
    const key = `${token}\0${lastEventId}`;
    const rest = this.#expected.get(key)?.filter((other) => other !== sink) ?? [];
    if (rest.length === 0) this.#expected.delete(key);
    else this.#expected.set(key, rest);
  }

  /** Runs watching code so that a mistake in it can never break the server that is watched. */
  quietly<T>(act: () => T): T | undefined {
    try {
      return act();
    } catch (cause) {
      this.failed(cause);
      return undefined;
    }
  }

  /** Tells of a mistake in the watching code itself. */
  failed(cause: unknown): void {
    this.sender.problem({ code: 'internal', message: cause instanceof Error ? cause.message : String(cause) });
  }

  /** Keyed hash of a text, so that equal contents are recognised and none is revealed. */
  digest(text: string): string {
    // An event is hashed when it is stored and again when it is delivered, mostly right after.
    const known = this.#digests.get(text);
    if (known !== undefined) return known;
    const digest = createHmac('sha256', this.options.hashKey).update(text).digest('base64url').slice(0, 22);
    if (text.length > DIGESTED_LENGTH_MAX) return digest;
    if (this.#digests.size >= DIGESTS_MAX) this.#digests.clear();
    this.#digests.set(text, digest);
    return digest;
  }

  /** A number for one HTTP exchange. */
  nextConn(): number {
    this.#conns += 1;
    return this.#conns;
  }

  /** The name of a numbered exchange, unlike that of any other process. */
  connName(number: number): string {
    return `${this.#connPrefix}-${number}`;
  }

  /** Calls `listener` for every session that begins; for the life of the observer. */
  onSessionStart(listener: (token: string) => void): void {
    this.#startListeners.push(listener);
  }

  /** Opens a session's book and reports that it began, superseding what stood under the token. */
  startSession(
    options: Omit<Parameters<SessionBook['start']>[0], 'generation'> & { readonly generation: string | undefined },
  ): SessionLedger {
    const { token, restoredFrom } = options;
    const before = this.book.get(token);
    if (before !== undefined) this.record({ type: 'session', event: 'superseded', ...before.names }, true);
    const generation = options.generation ?? this.#nextGeneration(token, before);
    const ledger = this.book.start({ ...options, generation });
    for (const listener of this.#startListeners) listener(token);
    this.record({ type: 'session', event: restoredFrom === undefined ? 'created' : 'restored', ...ledger.names });
    return ledger;
  }

  /** Marks a session as gone and reports it once. */
  endSession(token: string, event: 'ended' | 'evicted'): void {
    const ledger = this.book.get(token);
    if (ledger === undefined || ledger.state !== 'live') return;
    ledger.state = 'evicted';
    this.record({ type: 'session', event, ...ledger.names }, event === 'evicted');
    this.#recorder.release(token);
  }

  /** The process incarnation, and the count of sessions under one token where there was more than one. */
  #nextGeneration(token: string, before: SessionLedger | undefined): string {
    if (before === undefined) return this.options.generation;
    const count = (this.#generations.get(token) ?? 1) + 1;
    this.#generations.delete(token);
    this.#generations.set(token, count);
    const oldest = this.#generations.keys().next().value;
    if (this.#generations.size > this.options.maxSessions && oldest !== undefined) this.#generations.delete(oldest);
    return `${this.options.generation}-${count}`;
  }

  #line(record: TelemetryRecord, at: number, withheld: number): string {
    const said = withheld === 0 ? '' : `,"withheld_before":${withheld}`;
    const isPlain = record.id === undefined && record.at === undefined && record.server === undefined && record.node === undefined;
    if (isPlain && !this.options.hashSessions)
      return `{"id":"${this.#uuid()}","at":${at},${this.#names},${JSON.stringify(record).slice(1, -1)}${said}}`;
    const { server, node } = this.options;
    const session = typeof record.session === 'string' ? { session: this.#sessionName(record.session) } : {};
    const text = JSON.stringify({ id: this.#uuid(), at, server, node, ...record, ...session });
    return `${text.slice(0, -1)}${said}}`;
  }

  #isSampled(token: string): boolean {
    const { hashKey, sampleShare } = this.options;
    if (sampleShare <= 0 || sampleShare >= 1) return sampleShare >= 1;
    const hash = createHmac('sha256', hashKey).update(`sample\0${token}`).digest();
    return hash.readUIntBE(0, 6) / 2 ** 48 < sampleShare;
  }

  #sessionName(token: string): string {
    return this.options.hashSessions ? `h:${createHmac('sha256', this.options.hashKey).update(token).digest('hex')}` : token;
  }
}
