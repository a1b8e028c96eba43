import { factMembers, type ReplayReport, replayedMember } from '../attempt-record.js';
import type { SessionLedger } from '../ledger/session-ledger.js';
import { type Observer, type ReplaySink, streamName } from '../observer.js';
import { isPlainResume } from '../recorder/plain-resume.js';
import { STANDALONE_STREAM } from '../store/event-store.js';
import { RecordNote } from '../store/store-notes.js';
import type { ResumeAttemptRecord, TelemetryRecord } from '../telemetry/record.js';
import { errorCode, type RequestFacts, requestFacts, soleRequestId } from '../telemetry/rpc-facts.js';
import type { FloorRule } from '../verdict/facts.js';
import { type AnswerWatch, firstEventId, parsed, textOf } from './answer-watch.js';
import type { Judged } from './cursor-judge.js';
import { deliveries, endsWhole } from './delivered-events.js';
import { ExchangeNote, type NoteKind } from './exchange-note.js';
import type { Refusal } from './refusal.js';
import { SseScanner, type WireEvent } from './sse-scanner.js';

/** An HTTP request as far as a resume needs it. */
export interface IncomingRequest {
  readonly method: string;
  readonly token: string | null;
  readonly lastEventId: string | null;
  readonly protocolVersion: string | null;
}

export interface ExchangeOptions {
  readonly floorRule: FloorRule;
  readonly learnFromWire: boolean;
  /** Whether a refusal may have to settle the call that this request makes. */
  readonly settlesCalls: boolean;
}

/** JSON that is read for its error code; longer answers are results. */
const JSON_ANSWER_LENGTH_MAX = 64 * 1024;
/** A body or a piece of a stream that is longer is read at once and not held on to. */
const HELD_LENGTH_MAX = 16 * 1024;
/** Bytes, roughly, of what a note holds beside texts. */
const NOTE_BYTES = 200;

/**
 * One HTTP request and its answer, watched from the outside: it tells of the request, of the stream that was
 * opened, of every event that was written to it and of its end. It never touches what passes, and as long as
 * nobody wants to know it does not read it either.
 */
export class Exchange implements AnswerWatch, ReplaySink {
  replay: ReplayReport | null = null;
  #stream: string | null = null;
  readonly #conn: string;
  readonly #at = Date.now();
  readonly #began = performance.now();
  #body: unknown;
  #facts: RequestFacts | null = null;
  #token: string | null;
  #ledger: SessionLedger | undefined;
  #status: number | null = null;
  #contentType = '';
  #answer = '';
  #isStream = false;
  /** Reads the stream from where it was first cut within an event; until then every piece stands for itself. */
  #scanner: SseScanner | null = null;
  #opened: 'no' | 'held' | 'told' = 'no';
  #isDone = false;
  #isSettled = false;
  #isRefusedHere = false;

  constructor(
    private readonly observer: Observer,
    private readonly incoming: IncomingRequest,
    private readonly judged: Judged | null,
    private readonly options: ExchangeOptions,
  ) {
    this.#conn = observer.newConn();
    this.#token = incoming.token;
    const { token, lastEventId } = incoming;
    if (token === null) return;
    observer.touch(token);
    this.#ledger = observer.book.get(token);
    if (this.#isResume && lastEventId !== null) observer.expectReplay(token, lastEventId, this);
  }

  body(value: unknown): void {
    this.observer.quietly(() => {
      this.#body = value;
      const isLong = typeof value !== 'string' || value.length > HELD_LENGTH_MAX;
      if (isLong || this.options.settlesCalls || value.includes('"initialize"')) this.#readBody();
    });
  }

  head(status: number, header: (name: string) => string | null): void {
    this.observer.quietly(() => {
      this.#status = status;
      this.#contentType = header('content-type') ?? '';
      if (this.#facts?.isInitialize === true) this.#initialized(header('mcp-session-id'));
      this.#isStream = this.#contentType.startsWith('text/event-stream');
      if (!this.#isStream) return;
      this.#settle();
      if (this.#isResume) return;
      this.#opened = 'held';
      if (this.incoming.method === 'GET') this.#tellOpen();
    });
  }

  chunk(bytes: Uint8Array | string): void {
    this.observer.quietly(() => {
      if (this.#isStream) this.#written(bytes);
      else if (this.#contentType.startsWith('application/json') && this.#answer.length < JSON_ANSWER_LENGTH_MAX)
        this.#answer += textOf(bytes);
    });
  }

  end(by: 'client' | 'server'): void {
    if (this.#isDone) return;
    this.#isDone = true;
    this.observer.quietly(() => {
      const { method, token, lastEventId } = this.incoming;
      this.#settle();
      if (this.#opened === 'held') this.#tellOpen();
      if (this.#isStream) this.#note(by === 'client' ? 'close_by_client' : 'close_by_server', 0, '');
      const isEnded = method === 'DELETE' && this.#status !== null && this.#status < 300;
      if (isEnded && token !== null) this.observer.endSession(token, 'ended');
      if (this.#isResume && token !== null && lastEventId !== null) this.observer.forgetReplay(token, lastEventId, this);
    });
  }

  /** The guard answered by itself. */
  refused({ status, error }: Refusal): void {
    this.#status = status;
    this.#answer = JSON.stringify({ error: { code: error.code } });
    this.#isRefusedHere = true;
    this.end('server');
  }

  get #isResume(): boolean {
    return this.incoming.method === 'GET' && (this.incoming.lastEventId ?? '') !== '';
  }

  #readBody(): RequestFacts | null {
    if (this.#body === undefined) return this.#facts;
    this.#facts = requestFacts(parsed(this.#body));
    if (!this.options.settlesCalls) this.#body = undefined;
    return this.#facts;
  }

  /** Notes what is told with the session; without a session there is no history to keep it for, and it is told at once. */
  #note(kind: NoteKind, held: number, text: string, isTrouble = false): void {
    const note = new ExchangeNote(this, kind, NOTE_BYTES + held, text);
    if (this.#token !== null) this.observer.note(this.#token, note, isTrouble);
    else for (const record of note.build()) this.observer.record(record);
  }

  /** Makes the records of a note. */
  records(kind: NoteKind, text: string): readonly TelemetryRecord[] {
    switch (kind) {
      case 'request':
        return [this.#requestRecord()];
      case 'open':
        return [this.#openRecord()];
      case 'deliver':
        return this.#deliveries(new SseScanner((data) => this.observer.digest(data)).feed(text));
      case 'close_by_client':
      case 'close_by_server':
        return [{ type: 'close', ...this.#common(), conn: this.#conn, by: kind === 'close_by_client' ? 'client' : 'server' }];
    }
  }

  #common() {
    const version = this.incoming.protocolVersion ?? this.#ledger?.protocolVersion;
    return {
      session: this.#token,
      ...(this.#ledger?.names ?? {}),
      ...(this.#stream === null ? {} : { stream: this.#stream }),
      ...(version === undefined ? {} : { protocol_version: version }),
    };
  }

  #initialized(token: string | null): void {
    if (token === null) return;
    this.#token = token;
    const { client, protocolVersion } = this.#facts ?? {};
    this.observer.book.meet(token, { client, protocolVersion });
    if (this.options.learnFromWire && this.observer.book.get(token) === undefined) this.observer.startSession(wireSession(token));
    this.#ledger = this.observer.book.get(token);
  }

  /** Tells of the request or the attempt, once: with the status line of a stream, else with the end of the answer. */
  #settle(): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    if (this.incoming.method === 'POST') this.#tellRequest();
    else if (this.#isResume) this.#tellAttempt();
    else if (this.incoming.method === 'GET' && !this.#isStream) this.#tellOpen();
  }

  #tellRequest(): void {
    const isTrouble = this.#status === null || this.#status >= 400;
    const held = typeof this.#body === 'string' ? this.#body.length : 0;
    this.#note('request', held + this.#answer.length, '', isTrouble);
  }

  #requestRecord(): TelemetryRecord {
    const { rpc, tool, args } = this.#readBody() ?? {};
    return {
      type: 'request',
      ...this.#common(),
      // The token that the request carried: an initialize is told as carrying none.
      session: this.incoming.token,
      at: this.#at,
      conn: this.#conn,
      ...(rpc === undefined ? {} : { rpc }),
      ...(tool === undefined ? {} : { tool }),
      ...(args === undefined ? {} : { args_digest: this.observer.digest(JSON.stringify(args)) }),
      status: this.#status,
      code: this.#code(),
      content_type: this.#contentType || null,
    };
  }

  #tellAttempt(): void {
    const facts = this.replay?.facts ?? this.judged?.facts;
    if (facts?.stream !== undefined) this.#stream = streamName(facts.stream);
    const attempt: ResumeAttemptRecord = {
      type: 'resume_attempt',
      ...this.#common(),
      ...(facts === undefined ? {} : factMembers(facts)),
      at: this.#at,
      conn: this.#conn,
      last_event_id: this.incoming.lastEventId,
      ...this.#act(),
      ...replayedMember(this.replay),
      status: this.#status,
      code: this.#code(),
      latency_ms: Math.round((performance.now() - this.#began) * 1000) / 1000,
      ...(this.#ledger?.client === undefined ? {} : { client: this.#ledger.client }),
      policy: { floor: this.options.floorRule },
    };
    this.observer.record(attempt, !isPlainResume(attempt));
  }

  #act(): Pick<ResumeAttemptRecord, 'verdict' | 'reason'> {
    const status = this.#status;
    if (this.#isRefusedHere) return { verdict: 'refused', reason: this.judged?.decision?.reason ?? null };
    if (status === null || status >= 500) return { verdict: 'failed' };
    if (status >= 400) return { verdict: 'refused', reason: this.#refusalReason(status) };
    const seesStore = this.#ledger?.options.source === 'store';
    return { verdict: this.#isStream && (this.replay !== null || !seesStore) ? 'resumed' : 'fresh' };
  }

  /** Both SDK lines answer 409 to a good cursor only where another connection holds its stream. */
  #refusalReason(status: number): string | null {
    const decision = this.judged?.decision ?? null;
    if (decision?.verdict === 'refuse' && decision.status === status) return decision.reason;
    return status === 409 && this.replay === null && decision?.verdict === 'resume' ? 'stream_busy' : null;
  }

  #code(): number | null {
    return this.#answer === '' ? null : errorCode(parsed(this.#answer));
  }

  #tellOpen(): void {
    this.#opened = 'told';
    const { method } = this.incoming;
    if (method !== 'GET' && method !== 'POST') return;
    if (method === 'GET') this.#stream = 'get';
    this.#note('open', 0, '', this.#isOpenTrouble(method));
  }

  #openRecord(): TelemetryRecord {
    const rpcId = this.#readBody()?.rpc.id;
    this.#stream ??= `post-${rpcId ?? this.#conn}`;
    const named = rpcId === undefined ? {} : { rpc_id: rpcId };
    const method = this.incoming.method === 'GET' ? 'GET' : 'POST';
    return { type: 'open', ...this.#common(), conn: this.#conn, method, ...named, status: this.#status, code: this.#code() };
  }

  /** A refused connect, or a client that comes back to its standalone stream without the cursor it had. */
  #isOpenTrouble(method: string): boolean {
    if (this.#status === null || this.#status >= 400) return true;
    return method === 'GET' && (this.#ledger?.stream(STANDALONE_STREAM)?.deliveredUpTo ?? 0) > 0;
  }

  #written(bytes: Uint8Array | string): void {
    const isReadAtOnce = this.#scanner !== null || !this.#canWait || bytes.length > HELD_LENGTH_MAX || !endsWhole(bytes);
    if (isReadAtOnce) {
      // Up to here every piece ended with an event, so reading begins between two events.
      this.#scanner ??= new SseScanner((data) => this.observer.digest(data));
      this.#delivered(this.#scanner.feed(bytes));
      return;
    }
    const text = textOf(bytes);
    const firstId = firstEventId(text);
    // Comments keep the connection open and hold no event.
    if (firstId === null && text.startsWith(':')) return;
    if (this.#opened === 'held') this.#openOn(firstId);
    if (firstId !== null) this.#ledger?.delivered(firstId);
    this.#note('deliver', text.length, text);
  }

  /** Nothing else hangs on what was delivered: the store knows its own events, and no other numbering has their ids. */
  get #canWait(): boolean {
    return this.#ledger?.options.source === 'store' && this.#ledger.prior === null;
  }

  /** The stream of a POST is known with its first event, so its opening is held until then. */
  #openOn(eventId: string | null): void {
    const ledger = this.#ledger;
    if (eventId !== null && ledger !== undefined) {
      const stream = ledger.streamOf(ledger.innerId(eventId));
      if (stream !== undefined) this.#stream ??= streamName(stream.stream);
      if (this.options.settlesCalls) this.#openedFor(ledger, eventId);
    }
    this.#tellOpen();
  }

  #openedFor(ledger: SessionLedger, eventId: string): void {
    const requestId = soleRequestId(parsed(this.#body));
    if (requestId !== null) ledger.openedFor(eventId, requestId);
  }

  #delivered(events: readonly WireEvent[]): void {
    if (events.length === 0) return;
    if (this.#opened === 'held') this.#openOn(events.find(({ id }) => id !== null)?.id ?? null);
    const learned: TelemetryRecord[] = [];
    for (const { id } of events) if (id !== null && this.#ledger !== undefined) this.#learn(this.#ledger, id, learned);
    for (const record of [...learned, ...this.#deliveries(events)]) {
      if (this.#token === null) this.observer.record(record);
      else this.observer.note(this.#token, new RecordNote(record));
    }
  }

  #deliveries(events: readonly WireEvent[]): readonly TelemetryRecord[] {
    return deliveries({ ...this.#common(), conn: this.#conn }, events);
  }

  #learn(ledger: SessionLedger, eventId: string, learned: TelemetryRecord[]): void {
    if (ledger.options.source === 'wire' && ledger.find(eventId) === null) {
      const stream = this.#stream ?? 'get';
      ledger.append(stream, eventId);
      learned.push({ type: 'emit', ...ledger.names, stream, event_id: eventId });
    }
    ledger.delivered(eventId);
  }
}

function wireSession(token: string) {
  return {
    token,
    generation: undefined,
    restoredFrom: undefined,
    source: 'wire',
    seesEvictions: false,
    stampIds: false,
  } as const;
}
