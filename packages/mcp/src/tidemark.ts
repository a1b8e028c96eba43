import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import type { SessionLedger } from './ledger/session-ledger.js';
import { EventIds } from './log/event-id.js';
import { SessionEventLog } from './log/session-event-log.js';
import { noteEvict } from './notes/store-notes.js';
import { numberOption } from './number-option.js';
import { Observer, type ObserverOptions } from './observer.js';
import { Spool, type SpoolOptions } from './spool/spool.js';
import type { EventStoreLike } from './store/event-store.js';
import { eventStoreOf } from './store/log-event-store.js';
import { ObservedEventStore } from './store/observed-event-store.js';
import { requireHeaderName, requireHeaderText } from './telemetry/header-text.js';
import { HttpTransport, type IntakeTarget } from './telemetry/http-transport.js';
import type { TelemetryRecord } from './telemetry/record.js';
import type { Overflow } from './telemetry/record-queue.js';
import { Sender } from './telemetry/sender.js';
import type { SenderOptions } from './telemetry/sender-options.js';
import { SocketTransport } from './telemetry/socket-transport.js';
import type { TelemetryProblem, TelemetryStats } from './telemetry/stats.js';
import { tellerOf } from './telemetry/teller.js';

export interface TidemarkOptions {
  /** Where Tidemark listens, such as `http://127.0.0.1:4700`. */
  readonly url: string | URL;
  /** Logical name of this server; every replica of it has the same. */
  readonly server: string;
  /** Name of this process. @defaultValue host name and process id */
  readonly node?: string;
  /** Key of the intake, sent as a bearer token. */
  readonly key?: string;
  /** Identity of this process incarnation. @defaultValue a random label */
  readonly generation?: string | number;
  /** Secret of the digests. Replicas that share it have comparable digests. @defaultValue random */
  readonly hashKey?: string;
  /** Sends a keyed hash in place of each session token. @defaultValue false: the intake hashes them */
  readonly hashSessions?: boolean;
  /** `websocket` keeps one connection and needs the package `ws`; without it, `http` is used and told. @defaultValue `http` */
  readonly transport?: 'http' | 'websocket';
  /** Records held while the intake is slow or away. @defaultValue 20000 */
  readonly maxQueuedRecords?: number;
  /** Bytes held while the intake is slow or away. @defaultValue 16 MiB */
  readonly maxQueuedBytes?: number;
  /** Which record gives way when either is full: the one that comes, or the one that waits for longest. @defaultValue `drop_newest` */
  readonly overflow?: Overflow;
  /** Records per batch. @defaultValue 500 */
  readonly maxBatchRecords?: number;
  /** Milliseconds that a record waits for company. @defaultValue 250 */
  readonly flushIntervalMs?: number;
  /** Milliseconds that the intake may take to acknowledge a batch. @defaultValue 5000 */
  readonly timeoutMs?: number;
  /**
   * Times that the intake may fail on a batch, or not answer it, before it is dropped and counted. While the intake
   * is away (no connection, 429, 502 to 504) a batch waits for as long as it takes. @defaultValue 8
   */
  readonly maxAttempts?: number;
  /** First pause before a retry, doubled each time; in milliseconds. @defaultValue 250 */
  readonly retryBaseMs?: number;
  /** Longest pause before a retry, in milliseconds. @defaultValue 30000 */
  readonly retryMaxMs?: number;
  /** Keeps what is queued in a file too, so that the next start sends what this one could not. @defaultValue none */
  readonly spool?: SpoolOptions;
  /** While the intake refuses the key: milliseconds between two tries. @defaultValue 60000 */
  readonly probeIntervalMs?: number;
  /**
   * `flight` keeps the recent history of each session at hand and tells it whole when something goes wrong in it:
   * a refusal, a doubtful resume, an error status, a lost cursor, a session that is replaced. Resume attempts, boots
   * and the beginning and end of sessions are always told. `everything` tells every record at once.
   *
   * @defaultValue `flight`
   */
  readonly recording?: 'flight' | 'everything';
  /** With `flight`: share of sessions, 0 to 1, that is told whole anyway, chosen by a hash of the token. @defaultValue 0.001 */
  readonly sampleShare?: number;
  /** With `flight`: records kept at hand per session. @defaultValue 512 */
  readonly maxRecordsAtHand?: number;
  /** With `flight`: bytes of memory kept at hand for all sessions together. @defaultValue 32 MiB */
  readonly maxBytesAtHand?: number;
  /** With `flight`: milliseconds that a session is told whole after something went wrong. @defaultValue 5 minutes */
  readonly wholeMs?: number;
  /** Sessions watched at a time; the one idle for longest is forgotten. @defaultValue 10000 */
  readonly maxSessions?: number;
  /** Event ids remembered per session. @defaultValue 20000 */
  readonly maxIdsPerSession?: number;
  /** Told of everything that keeps records from being stored. @defaultValue a warning of the process */
  readonly onProblem?: (problem: TelemetryProblem) => void;
}

export interface ObserveOptions {
  /** Session token, or how to get it once the transport has made it. */
  readonly sessionId: string | (() => string | undefined);
  /** Identity of this session's numbering. @defaultValue the process incarnation, counted up when a token is used again */
  readonly generation?: string | number;
  /** Generation that this session had before this process took it over from elsewhere. */
  readonly restoredFrom?: string | number;
  /** Whether the store still has an event, by its own id. Without it, and without calls of `evicted`, no floor is reported. */
  readonly isRetained?: (eventId: string) => boolean;
  /** Whether this code will call `evicted` for every event that the store drops. @defaultValue false */
  readonly tellsEvictions?: boolean;
  /** Puts the generation in front of every id on the wire, for stores that number anew after a restart. @defaultValue false */
  readonly stampIds?: boolean;
}

/** Reports to a Tidemark server from a bounded queue; it never blocks, throws into or breaks the server it watches. */
export interface Tidemark {
  /** Wraps an SDK event store, 1.x or 2.x, or plugs a `SessionEventLog` in. The store behaves as before. */
  eventStore<M>(store: EventStoreLike<M> | SessionEventLog<M>, options: ObserveOptions): ObservedEventStore<M>;
  /** Reports a record of your own; members that are absent are filled in. */
  record(record: TelemetryRecord): void;
  /** Says that a session is over. */
  sessionEnded(sessionId: string, event?: 'ended' | 'evicted'): void;
  /** Keyed hash of a text, comparable with the digests of reported events. */
  digest(text: string): string;
  readonly generation: string;
  readonly stats: TelemetryStats;
  /** Resolves when everything queued now was stored or given up, or when the intake refuses the key. */
  flush(): Promise<void>;
  /** Drains the queue, then drops and counts what is left. @param timeoutMs default 5000 */
  close(timeoutMs?: number): Promise<void>;
}

const observers = new WeakMap<Tidemark, Observer>();

/** The inside of a Tidemark, for the guard. */
export function observerOf(tidemark: Tidemark): Observer {
  const observer = observers.get(tidemark);
  if (observer === undefined) throw new TypeError('tidemark must come from createTidemark');
  return observer;
}

/**
 * Starts reporting for this process.
 *
 * @throws TypeError when an option cannot work; nothing throws later.
 */
export function createTidemark(options: TidemarkOptions): Tidemark {
  const node = options.node ?? `${hostname()}-${process.pid}`;
  const sender = new Sender(senderOptions(options, node));
  const generation = options.generation === undefined ? `i${randomBytes(6).toString('hex')}` : String(options.generation);
  const observer = new Observer(observerOptions(options, node, generation), sender);
  observer.record({ type: 'boot', generation });
  const tidemark: Tidemark = {
    eventStore: (store, observe) => observeStore(observer, store, observe),
    record: (record) => observer.record(record),
    sessionEnded: (sessionId, event = 'ended') => observer.endSession(sessionId, event),
    digest: (text) => observer.digest(text),
    generation,
    get stats() {
      return sender.stats;
    },
    flush: () => sender.flush(),
    close: (timeoutMs = 5000) => sender.close(timeoutMs),
  };
  observers.set(tidemark, observer);
  return tidemark;
}

function observerOptions(options: TidemarkOptions, node: string, generation: string): ObserverOptions {
  const { sampleShare = 0.001 } = options;
  if (!(sampleShare >= 0 && sampleShare <= 1)) throw new TypeError('sampleShare must be between 0 and 1');
  return {
    server: options.server,
    node,
    generation,
    hashKey: options.hashKey ?? randomBytes(32).toString('hex'),
    hashSessions: options.hashSessions ?? false,
    maxSessions: numberOption('maxSessions', options.maxSessions, 10_000),
    maxIdsPerSession: numberOption('maxIdsPerSession', options.maxIdsPerSession, 20_000),
    isEverything: options.recording === 'everything',
    sampleShare,
    recordsPerSession: numberOption('maxRecordsAtHand', options.maxRecordsAtHand, 512),
    bytesAtHand: numberOption('maxBytesAtHand', options.maxBytesAtHand, 32 * 1024 * 1024),
    wholeMs: numberOption('wholeMs', options.wholeMs, 5 * 60_000, 0),
  };
}

function senderOptions(options: TidemarkOptions, producer: string): SenderOptions {
  if (options.key !== undefined) requireHeaderText('key', options.key);
  requireHeaderName('node', producer);
  const tell = tellerOf(options.onProblem ?? warn);
  const target: IntakeTarget = {
    endpoint: endpointOf(options.url),
    key: options.key,
    timeoutMs: numberOption('timeoutMs', options.timeoutMs, 5000),
  };
  const http = new HttpTransport(target);
  const onFallback = (reason: string) => tell({ code: 'transport_unavailable', message: `${reason}; http is used instead` });
  const epoch = randomBytes(8).toString('hex');
  const began = Date.now();
  const maxBatchRecords = numberOption('maxBatchRecords', options.maxBatchRecords, 500);
  const onSpoolProblem = (message: string) => tell({ code: 'spool_failed', message });
  return {
    spool:
      options.spool === undefined
        ? null
        : new Spool({ ...options.spool, producer, epoch, began, maxBatchRecords, onProblem: onSpoolProblem }),
    transport: options.transport === 'websocket' ? new SocketTransport({ ...target, fallback: http, onFallback }) : http,
    producer,
    epoch,
    began,
    maxQueuedRecords: numberOption('maxQueuedRecords', options.maxQueuedRecords, 20_000),
    maxQueuedBytes: numberOption('maxQueuedBytes', options.maxQueuedBytes, 16 * 1024 * 1024),
    overflow: options.overflow ?? 'drop_newest',
    maxBatchRecords,
    flushIntervalMs: numberOption('flushIntervalMs', options.flushIntervalMs, 250, 0),
    maxAttempts: numberOption('maxAttempts', options.maxAttempts, 8),
    retryBaseMs: numberOption('retryBaseMs', options.retryBaseMs, 250, 0),
    retryMaxMs: numberOption('retryMaxMs', options.retryMaxMs, 30_000, 0),
    probeIntervalMs: numberOption('probeIntervalMs', options.probeIntervalMs, 60_000),
    tell,
  };
}

/** Without a listener trouble is not silent: it goes where the process sends its warnings. */
function warn({ code, message }: TelemetryProblem): void {
  process.emitWarning(`telemetry of MCP resumption: ${message}`, { type: 'TidemarkWarning', code });
}

function endpointOf(url: string | URL): URL {
  const base = new URL(url);
  if (base.protocol !== 'http:' && base.protocol !== 'https:') throw new TypeError('url must begin with http:// or https://');
  return new URL('api/v1/telemetry', base.href.endsWith('/') ? base : `${base.href}/`);
}

function observeStore<M>(
  observer: Observer,
  store: EventStoreLike<M> | SessionEventLog<M>,
  observe: ObserveOptions,
): ObservedEventStore<M> {
  const log = store instanceof SessionEventLog ? store : null;
  const generation = log?.generation ?? (observe.generation === undefined ? undefined : String(observe.generation));
  if (observe.stampIds === true && generation !== undefined) new EventIds('', generation);
  observer.watchesStores = true;
  let ledger: SessionLedger | null = null;
  const start = (token: string) =>
    observer.startSession({
      token,
      generation,
      restoredFrom: observe.restoredFrom === undefined ? undefined : String(observe.restoredFrom),
      log: log ?? undefined,
      source: 'store',
      seesEvictions: log === null && (observe.isRetained !== undefined || observe.tellsEvictions === true),
      stampIds: log === null && observe.stampIds === true,
    });
  const current = () => {
    if (ledger !== null) return ledger;
    const token = typeof observe.sessionId === 'string' ? observe.sessionId : observe.sessionId();
    if (token !== undefined) ledger = start(token);
    return ledger;
  };
  if (typeof observe.sessionId === 'string') observer.quietly(current);
  log?.onEvict({
    evicted: (streamId, floor, cause) => {
      const book = current();
      if (book === null) return;
      // Events grow old at any time; all else gives way to the newest event.
      const at = cause === 'age' ? 0 : log.newestAt;
      observer.note(book.options.token, noteEvict(observer.blank, book, { streamId, floor, cause, at }));
    },
  });
  const inner = store instanceof SessionEventLog ? eventStoreOf(store) : store;
  return new ObservedEventStore(inner, observer, { ledger: current, log, isRetained: log === null ? observe.isRetained : undefined });
}
