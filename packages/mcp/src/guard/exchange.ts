import { factMembers, replayedMember } from '../attempt-record.js';
import type { ExchangeScope } from '../exchange-scope.js';
import type { SessionLedger } from '../ledger/session-ledger.js';
import type { RpcId } from '../ledger/stream-call.js';
import { type Observer, streamName } from '../observer.js';
import type { ResumeAttemptRecord } from '../telemetry/record.js';
import { errorCode, type RequestFacts, requestFacts, soleRequestId } from '../telemetry/rpc-facts.js';
import type { FloorRule } from '../verdict/facts.js';
import type { Judged } from './cursor-judge.js';
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
}

/** JSON that is read for its error code; longer answers are results. */
const JSON_ANSWER_LENGTH_MAX = 64 * 1024;

/**
 * One HTTP request and its answer, watched from the outside: it tells of the request, of the stream that was
 * opened, of every event that was written to it and of its end. It never touches what passes.
 */
export class Exchange implements ExchangeScope {
  replay: ExchangeScope['replay'] = null;
  stream: string | null = null;
  requestId: RpcId | null = null;
  readonly #conn: string;
  readonly #at = Date.now();
  readonly #began = performance.now();
  #request: RequestFacts | null = null;
  #token: string | null;
  #status: number | null = null;
  #contentType = '';
  #answer = '';
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
  }

  /** The parsed body of a POST, as soon as it is known. */
  body(value: unknown): void {
    this.observer.quietly(() => {
      this.#request = requestFacts(value);
      this.requestId = soleRequestId(value);
    });
  }

  /** The status line went out. */
  head(status: number, header: (name: string) => string | null): void {
    this.observer.quietly(() => {
      this.#status = status;
      this.#contentType = header('content-type') ?? '';
      if (this.#request?.isInitialize === true) this.#initialized(header('mcp-session-id'));
      if (!this.#contentType.startsWith('text/event-stream')) return;
      this.#scanner = new SseScanner((data) => this.observer.digest(data));
      this.#settle();
      this.#open();
    });
  }

  /** Bytes of the body went out. */
  chunk(bytes: Uint8Array | string): void {
    this.observer.quietly(() => {
      if (this.#scanner !== null) this.#delivered(this.#scanner.feed(bytes));
      else if (this.#contentType.startsWith('application/json') && this.#answer.length < JSON_ANSWER_LENGTH_MAX) {
        this.#answer += typeof bytes === 'string' ? bytes : new TextDecoder().decode(bytes);
      }
    });
  }

  /** The answer is over; `client` when the other side left first. Only the first call counts. */
  end(by: 'client' | 'server'): void {
    if (this.#isDone) return;
    this.#isDone = true;
    this.observer.quietly(() => {
      this.#settle();
      if (this.#opened === 'held') this.#tellOpen();
      if (this.#scanner !== null) this.observer.record({ type: 'close', ...this.#common(), conn: this.#conn, by });
      const isEnded = this.incoming.method === 'DELETE' && this.#status !== null && this.#status < 300;
      if (isEnded && this.#token !== null) this.observer.endSession(this.#token, 'ended');
    });
  }

  /** The guard answered by itself. */
  refused({ status, error }: Refusal): void {
    this.#status = status;
    this.#answer = JSON.stringify({ error: { code: error.code } });
    this.#isRefusedHere = true;
    this.end('server');
  }

  get #ledger(): SessionLedger | undefined {
    return this.#token === null ? undefined : this.observer.book.get(this.#token);
  }

  #common() {
    const ledger = this.#ledger;
    const version = this.incoming.protocolVersion ?? ledger?.protocolVersion;
    return {
      session: this.#token,
      ...(ledger?.names ?? {}),
      ...(this.stream === null ? {} : { stream: this.stream }),
      ...(version === undefined ? {} : { protocol_version: version }),
    };
  }

  #initialized(token: string | null): void {
    if (token === null) return;
    this.#token = token;
    const { client, protocolVersion } = this.#request ?? {};
    this.observer.book.meet(token, { client, protocolVersion });
    if (this.options.learnFromWire && this.observer.book.get(token) === undefined) this.observer.startSession(wireSession(token));
  }

  /** Tells of the request or the attempt, once: with the status line of a stream, else with the end of the answer. */
  #settle(): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    if (this.incoming.method === 'POST') this.#tellRequest();
    else if (this.incoming.method === 'GET' && (this.incoming.lastEventId ?? '') !== '') this.#tellAttempt();
    else if (this.incoming.method === 'GET' && this.#scanner === null) this.#tellOpen();
  }

  #tellRequest(): void {
    const { rpc, tool, args } = this.#request ?? {};
    this.observer.record({
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
    });
  }

  #tellAttempt(): void {
    const facts = this.replay?.facts ?? this.judged?.facts;
    if (facts?.stream !== undefined) this.stream = streamName(facts.stream);
    const ledger = this.#ledger;
    this.observer.record({
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
      ...(ledger?.client === undefined ? {} : { client: ledger.client }),
      policy: { floor: this.options.floorRule },
    });
  }

  #act(): Pick<ResumeAttemptRecord, 'verdict' | 'reason'> {
    const status = this.#status;
    if (this.#isRefusedHere) return { verdict: 'refused', reason: this.judged?.decision?.reason ?? null };
    if (status === null || status >= 500) return { verdict: 'failed' };
    if (status >= 400) return { verdict: 'refused', reason: this.#refusalReason(status) };
    const seesStore = this.#ledger?.options.source === 'store';
    const isStream = this.#scanner !== null;
    return { verdict: isStream && (this.replay !== null || !seesStore) ? 'resumed' : 'fresh' };
  }

  /** Both SDK lines answer 409 to a good cursor only where another connection holds its stream. */
  #refusalReason(status: number): string | null {
    const decision = this.judged?.decision ?? null;
    if (decision?.verdict === 'refuse' && decision.status === status) return decision.reason;
    return status === 409 && this.replay === null && decision?.verdict === 'resume' ? 'stream_busy' : null;
  }

  #code(): number | null {
    if (this.#answer === '') return null;
    try {
      return errorCode(JSON.parse(this.#answer));
    } catch {
      // An answer that is no JSON, or was cut at the bound, has no code that could be told.
      return null;
    }
  }

  /** The stream of a POST is known with its first event, so its opening is held until then. */
  #open(): void {
    if ((this.incoming.lastEventId ?? '') !== '') return;
    this.#opened = 'held';
    if (this.incoming.method === 'GET' || this.stream !== null) this.#tellOpen();
  }

  #tellOpen(): void {
    this.#opened = 'told';
    if (this.incoming.method !== 'GET' && this.incoming.method !== 'POST') return;
    if (this.incoming.method === 'GET') this.stream = 'get';
    if (this.incoming.method === 'POST') this.stream ??= `post-${this.#request?.rpc.id ?? this.#conn}`;
    this.observer.record({
      type: 'open',
      ...this.#common(),
      conn: this.#conn,
      method: this.incoming.method,
      ...(this.#request?.rpc.id === undefined ? {} : { rpc_id: this.#request.rpc.id }),
      status: this.#status,
      code: this.#code(),
    });
  }

  #delivered(events: readonly WireEvent[]): void {
    if (events.length === 0) return;
    if (this.#opened === 'held') this.#tellOpen();
    const ledger = this.#ledger;
    for (const { id } of events) if (id !== null && ledger !== undefined) this.#learn(ledger, id);
    const common = { ...this.#common(), conn: this.#conn };
    const named = events.filter((event): event is WireEvent & { id: string } => event.id !== null);
    if (named.length > 0) {
      this.observer.record({
        type: 'deliver',
        ...common,
        event_ids: named.map(({ id }) => id),
        digests: named.map(({ digest }) => digest),
      });
    }
    const nameless = events.filter((event) => event.id === null);
    if (nameless.length > 0) {
      this.observer.record({ type: 'deliver', ...common, event_ids: [], digests: nameless.map(({ digest }) => digest), without_id: true });
    }
  }

  #learn(ledger: SessionLedger, eventId: string): void {
    if (ledger.options.source === 'wire' && ledger.find(eventId) === null) {
      const stream = this.stream ?? 'get';
      ledger.append(stream, eventId);
      this.observer.record({ type: 'emit', ...ledger.names, stream, event_id: eventId });
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
