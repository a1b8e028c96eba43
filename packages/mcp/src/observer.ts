import { createHmac, randomBytes } from 'node:crypto';
import { SessionBook } from './ledger/session-book.js';
import type { SessionLedger } from './ledger/session-ledger.js';
import { STANDALONE_STREAM } from './store/event-store.js';
import type { TelemetryRecord } from './telemetry/record.js';
import type { Sender } from './telemetry/sender.js';
import { uuidV7Source } from './telemetry/uuid-v7.js';

const NAME_LENGTH_MAX = 256;
const CONTROL = /\p{Cc}/gu;

export interface ObserverOptions {
  readonly server: string;
  readonly node: string;
  readonly generation: string;
  readonly hashKey: string;
  readonly hashSessions: boolean;
  readonly maxSessions: number;
  readonly maxIdsPerSession: number;
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
  #conns = 0;

  constructor(
    readonly options: ObserverOptions,
    readonly sender: Sender,
  ) {
    this.book = new SessionBook(options.maxSessions, options.maxIdsPerSession);
  }

  /** Completes and queues a record. */
  record(record: TelemetryRecord): void {
    this.quietly(() => {
      const { server, node } = this.options;
      const session = typeof record.session === 'string' ? { session: this.#sessionName(record.session) } : {};
      const line = JSON.stringify({ id: this.#uuid(), at: Date.now(), server, node, ...record, ...session });
      this.sender.push(line);
    });
  }

  /** Runs watching code so that a mistake in it can never break the server that is watched. */
  quietly<T>(act: () => T): T | undefined {
    try {
      return act();
    } catch (cause) {
      this.sender.problem({ code: 'internal', message: cause instanceof Error ? cause.message : String(cause) });
      return undefined;
    }
  }

  /** Keyed hash of a text, so that equal contents are recognised and none is revealed. */
  digest(text: string): string {
    return createHmac('sha256', this.options.hashKey).update(text).digest('base64url').slice(0, 22);
  }

  /** An incremental form of `digest`. */
  digester(): { update(text: string): void; digest(): string } {
    const hash = createHmac('sha256', this.options.hashKey);
    return { update: (text) => void hash.update(text), digest: () => hash.digest('base64url').slice(0, 22) };
  }

  /** A name for one HTTP exchange, unlike that of any other process. */
  newConn(): string {
    this.#conns += 1;
    return `${this.#connPrefix}-${this.#conns}`;
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
    if (before !== undefined) this.record({ type: 'session', event: 'superseded', ...before.names });
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
    this.record({ type: 'session', event, ...ledger.names });
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

  #sessionName(token: string): string {
    return this.options.hashSessions ? `h:${createHmac('sha256', this.options.hashKey).update(token).digest('hex')}` : token;
  }
}

/** The contract's name of an SDK stream: `get` for the standalone one, the SDK's own id otherwise. */
export function streamName(streamId: string): string {
  if (streamId === STANDALONE_STREAM) return 'get';
  return streamId.replace(CONTROL, '').slice(0, NAME_LENGTH_MAX) || 'unnamed';
}
