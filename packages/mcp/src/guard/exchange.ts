import type { SessionLedger } from '../ledger/session-ledger.js';
import { openRecord, requestRecord } from '../notes/exchange-notes.js';
import { CHOICES, NOTE_KINDS, type Note, type NoteKind } from '../notes/note.js';
import { noteRecord } from '../notes/store-notes.js';
import type { Observer } from '../observer.js';
import { isPlainResume } from '../recorder/plain-resume.js';
import { streamName } from '../stream-name.js';
import { errorCode } from '../telemetry/rpc-facts.js';
import { type AnswerHead, type AnswerWatch, beginsWithEvent, firstEventId, parsed, textOf } from './answer-watch.js';
import { AwaitedReplay } from './awaited-replay.js';
import type { Judged } from './cursor-judge.js';
import { beginsWithComment, deliveries, endsWhole } from './delivered-events.js';
import {
  attemptRecord,
  commonMembers,
  type ExchangeFacts,
  type ExchangeOptions,
  type IncomingRequest,
  isOpenTrouble,
} from './exchange-records.js';
import { Deliveries, wireSession } from './learn-from-wire.js';
import type { Refusal } from './refusal.js';
import { RequestBody } from './request-body.js';
import { SseScanner, type WireEvent } from './sse-scanner.js';

/** JSON that is read for its error code; longer answers are results. */
const JSON_ANSWER_LENGTH_MAX = 64 * 1024;
/** A piece of a stream that is longer is read at once and not held on to. */
const HELD_LENGTH_MAX = 16 * 1024;

/**
 * One HTTP request and its answer, watched from the outside: it tells of the request, of the stream that was
 * opened, of every event that was written to it and of its end. It never touches what passes, and as long as
 * nobody wants to know it does not read it either. Every request pays for what is done here.
 */
export class Exchange implements AnswerWatch, ExchangeFacts {
  readonly at = Date.now();
  token: string | null;
  ledger: SessionLedger | undefined;
  status: number | null = null;
  contentType = '';
  /** Name of the stream; made of the store's own only when it is wanted. */
  #stream: string | null = null;
  #storeStream: string | null = null;
  readonly #number: number;
  readonly #began: number;
  readonly #isResume: boolean;
  #replay: AwaitedReplay | null = null;
  readonly #body = new RequestBody();
  #answer = '';
  #isStream = false;
  /** Reads the stream from where it was first cut within an event; until then every piece stands for itself. */
  #scanner: SseScanner | null = null;
  #entering: Deliveries | null = null;
  #opened: 'no' | 'held' | 'told' = 'no';
  #hasDelivered = false;
  #isDone = false;
  #isSettled = false;
  #isRefusedHere = false;

  constructor(
    readonly observer: Observer,
    readonly incoming: IncomingRequest,
    ledger: SessionLedger | undefined,
    private readonly judged: Judged | null,
    private readonly options: ExchangeOptions,
  ) {
    const { method, lastEventId } = incoming;
    // One and the same text for a session is found faster, and kept once.
    const token = ledger === undefined ? incoming.token : ledger.options.token;
    this.#number = observer.nextConn();
    this.token = token;
    this.ledger = ledger;
    this.#isResume = method === 'GET' && lastEventId !== null && lastEventId !== '';
    this.#began = this.#isResume ? performance.now() : 0;
    if (token === null) return;
    observer.touch(token);
    if (!this.#isResume || lastEventId === null) return;
    this.#replay = new AwaitedReplay(() => {
      if (this.#isStream) this.#settle();
    });
    observer.expectReplay(token, lastEventId, this.#replay);
  }

  body(value: unknown): void {
    try {
      this.#body.take(value, this.options.settlesCalls);
    } catch (cause) {
      this.observer.failed(cause);
    }
  }

  head(status: number, head: AnswerHead): void {
    try {
      this.status = status;
      this.contentType = head.header('content-type') ?? '';
      const named = head.header('mcp-session-id');
      // Only an initialize is answered with a token that the request did not have.
      if (named !== null && named !== this.token && this.#body.facts?.isInitialize === true) this.#initialized(named);
      this.#isStream = this.contentType.startsWith('text/event-stream');
      if (!this.#isStream) return;
      if (this.#isResume) {
        this.#settleResume();
        return;
      }
      this.#settle();
      this.#opened = 'held';
      if (this.incoming.method === 'GET') this.#tellOpen(Date.now());
    } catch (cause) {
      this.observer.failed(cause);
    }
  }

  chunk(bytes: Uint8Array | string): void {
    try {
      if (this.#isStream) {
        this.#settle();
        this.#written(bytes);
      } else if (this.contentType.startsWith('application/json') && this.#answer.length < JSON_ANSWER_LENGTH_MAX)
        this.#answer += textOf(bytes);
    } catch (cause) {
      this.observer.failed(cause);
    }
  }

  end(by: 'client' | 'server'): void {
    if (this.#isDone) return;
    this.#isDone = true;
    try {
      const { method, token, lastEventId } = this.incoming;
      this.#settle();
      if (this.#opened === 'held') this.#tellOpen(Date.now());
      if (this.#isStream) this.#tellClose(by);
      const isEnded = method === 'DELETE' && this.status !== null && this.status < 300;
      if (isEnded && token !== null) this.observer.endSession(token, 'ended');
      if (this.#replay !== null && token !== null && lastEventId !== null) this.observer.forgetReplay(token, lastEventId, this.#replay);
    } catch (cause) {
      this.observer.failed(cause);
    }
  }

  /** The guard answered by itself. */
  refused({ status, error }: Refusal): void {
    this.status = status;
    this.#answer = JSON.stringify({ error: { code: error.code } });
    this.#isRefusedHere = true;
    this.end('server');
  }

  get stream(): string | null {
    if (this.#storeStream !== null) this.#stream ??= streamName(this.#storeStream);
    return this.#stream;
  }

  get conn(): string {
    return this.observer.connName(this.#number);
  }

  get code(): number | null {
    return this.#answer.includes('"error"') ? errorCode(parsed(this.#answer)) : null;
  }

  /** A note of this exchange, to be filled in. */
  #begin(kind: NoteKind): Note {
    const { observer, ledger, incoming } = this;
    const note = observer.blank.begin(kind, ledger ?? null);
    note.number = this.#number;
    note.stream = this.#storeStream ?? this.#stream;
    if (incoming.protocolVersion !== ledger?.protocolVersion) note.version = incoming.protocolVersion;
    return note;
  }

  #initialized(token: string): void {
    this.token = token;
    const { client, protocolVersion } = this.#body.facts ?? {};
    this.observer.book.meet(token, { client, protocolVersion });
    if (this.options.learnFromWire && this.observer.book.get(token) === undefined) this.observer.startSession(wireSession(token));
    this.ledger = this.observer.book.get(token);
  }

  /** Tells of the request or the attempt, once: with the status line of a stream, else with the end of the answer. */
  #settle(): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    const { method } = this.incoming;
    if (method === 'POST') this.#tellRequest();
    else if (this.#isResume) this.#tellAttempt();
    else if (method === 'GET' && !this.#isStream) this.#tellOpen(Date.now());
  }

  /** A server may write its head and ask its store for the replay right after; what it writes then comes later. */
  #settleResume(): void {
    if (this.#replay?.isTaken === false && this.ledger?.options.source === 'store')
      setImmediate(() => this.observer.quietly(() => this.#settle()));
    else this.#settle();
  }

  #tellRequest(): void {
    const note = this.#begin(NOTE_KINDS.request);
    note.at = this.at;
    note.option = this.incoming.token === null ? CHOICES.withoutToken : CHOICES.withToken;
    note.name = this.contentType || null;
    this.#noteWithBody(note, requestRecord, this.status === null || this.status >= 400);
  }

  /** Notes what needs the request's facts: its body, or a record at once where the facts had to be read already. */
  #noteWithBody(note: Note, recordOf: typeof requestRecord, isTrouble: boolean): void {
    note.status = this.status;
    note.code = this.code;
    const { text, factsAlone } = this.#body;
    if (note.kind === NOTE_KINDS.request) note.text = text;
    else note.body = text;
    if (factsAlone !== null) noteRecord(note, recordOf(note, this.token, this.observer, factsAlone));
    this.observer.note(this.token, note, isTrouble);
  }

  #tellAttempt(): void {
    const facts = this.#replay?.facts ?? this.judged?.facts;
    if (facts?.stream !== undefined) this.#storeStream = facts.stream;
    const attempt = attemptRecord(this, {
      judged: this.judged,
      replay: this.#replay,
      isRefusedHere: this.#isRefusedHere,
      isStream: this.#isStream,
      latencyMs: performance.now() - this.#began,
      floorRule: this.options.floorRule,
    });
    this.observer.record(attempt, !isPlainResume(attempt));
  }

  #tellOpen(at: number): void {
    this.#opened = 'told';
    const { method } = this.incoming;
    if (method !== 'GET' && method !== 'POST') return;
    if (method === 'GET') this.#stream = 'get';
    this.#nameStream();
    const note = this.#begin(NOTE_KINDS.open);
    note.at = at;
    note.option = method === 'GET' ? CHOICES.byGet : CHOICES.byPost;
    this.#noteWithBody(note, openRecord, isOpenTrouble(this));
  }

  #tellClose(by: 'client' | 'server'): void {
    this.#nameStream();
    const note = this.#begin(NOTE_KINDS.close);
    note.option = by === 'client' ? CHOICES.byClient : CHOICES.byServer;
    this.observer.note(this.token, note);
  }

  #written(bytes: Uint8Array | string): void {
    if (this.#scanner === null && this.#canWait && bytes.length <= HELD_LENGTH_MAX && endsWhole(bytes)) {
      this.#hold(bytes);
      return;
    }
    // Up to here every piece ended with an event, so reading begins between two events.
    this.#scanner ??= new SseScanner((data) => this.observer.digest(data));
    this.#delivered(this.#scanner.feed(bytes));
  }

  /** Nothing else hangs on what was delivered: the store knows its own events, and no other numbering has their ids. */
  get #canWait(): boolean {
    return this.ledger !== undefined && this.ledger.options.source === 'store' && this.ledger.prior === null;
  }

  /** Keeps a piece of whole events unread; only the first one is looked at, for the stream that it is of. */
  #hold(bytes: Uint8Array | string): void {
    const at = Date.now();
    if (!this.#hasDelivered || beginsWithComment(bytes)) {
      const firstId = this.ledger?.recent((id) => beginsWithEvent(bytes, id)) ?? firstEventId(bytes);
      // Comments keep the connection open and hold no event.
      if (firstId === null && beginsWithComment(bytes)) return;
      if (firstId !== null) this.#entered(firstId);
    }
    // An opening is told with its first piece, unless its request's facts are not to be found in a note.
    if (this.#opened === 'held' && this.#body.text === null) this.#tellOpen(at);
    this.#nameStream();
    const note = this.#begin(NOTE_KINDS.deliver);
    note.at = at;
    note.text = bytes;
    const opens = this.#opened === 'held';
    if (opens) this.#openWith(note);
    this.observer.note(this.token, note, opens && isOpenTrouble(this));
  }

  #openWith(note: Note): void {
    this.#opened = 'told';
    note.option = CHOICES.opens;
    note.status = this.status;
    note.body = this.#body.text;
  }

  /** The stream of a POST is known with its first event, so its opening is held until then. */
  #entered(eventId: string): void {
    this.#hasDelivered = true;
    const stream = this.ledger?.delivered(eventId);
    if (this.#opened !== 'held') return;
    this.#storeStream = stream ?? null;
    if (this.#body.callId !== null) this.ledger?.openedFor(eventId, this.#body.callId);
  }

  #delivered(events: readonly WireEvent[]): void {
    if (events.length === 0) return;
    const firstId = events.find(({ id }) => id !== null)?.id ?? null;
    if (this.#opened === 'held') {
      if (firstId !== null) this.#entered(firstId);
      this.#tellOpen(Date.now());
    }
    const learned = this.ledger === undefined ? [] : this.#deliveries().enter(this.ledger, this.stream ?? 'get', events);
    this.#nameStream();
    const delivered = deliveries({ ...commonMembers(this), conn: this.conn }, events);
    for (const record of [...learned, ...delivered]) this.observer.note(this.token, noteRecord(this.observer.blank, record));
  }

  /** Made when it is wanted: of a session whose store is watched it mostly is not. */
  #deliveries(): Deliveries {
    this.#entering ??= new Deliveries(this.#isResume ? this.incoming.lastEventId : null);
    return this.#entering;
  }

  /** Where no event told the stream of a POST, it is named after the request that it answers. */
  #nameStream(): void {
    if (this.incoming.method === 'POST' && this.#storeStream === null && this.#stream === null)
      this.#stream = `post-${this.#body.facts?.rpc.id ?? this.conn}`;
  }
}
