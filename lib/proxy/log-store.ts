import type { Incarnation, SharedIncarnation } from '@/lib/proxy/incarnation';
import type { HeldMemory } from '@/lib/proxy/memory-bound';
import type { NewEvent } from '@/lib/session-log/event-ring';
import type { AppendResult, SessionLog } from '@/lib/session-log/session-log';
import type { Retention } from '@/lib/session-log/stream-log';
import type { Told } from '@/lib/session-log/told';

/** A value now, or a promise where the store is remote. The hot path only waits when it must. */
export type Maybe<T> = T | Promise<T>;

/** Uses a value at once when it is here, later when it is on its way. */
export function whenReady<T, R>(value: Maybe<T>, use: (value: T) => Maybe<R>): Maybe<R> {
  return value instanceof Promise ? value.then(use) : use(value);
}

export interface NewSession {
  readonly principal: string;
  readonly isHeardFromStart: boolean;
  readonly retention: Retention;
  /** Incarnation of the upstream that the session is of, not later than its first request. */
  readonly incarnation: number;
  /** Value of the route's instance header; null when it has none. */
  readonly instance: string | null;
}

/** A change of a session's log. Applied in one order for all replicas. */
export type LogChange =
  /** Of the numbering's own accord, or because of an incarnation or instance, of which each begins one generation. */
  | { readonly kind: 'generation'; readonly isDoubtful?: boolean; readonly incarnation?: number; readonly instance?: string }
  | { readonly kind: 'instance'; readonly instance: string }
  | { readonly kind: 'told'; readonly told: Told; readonly rebuilt: 'no' | 'certainly' | 'maybe' }
  | { readonly kind: 'fence' }
  /** `principal` where whose it is could not be asked: only that one's session ends. */
  | { readonly kind: 'end'; readonly principal?: string }
  | { readonly kind: 'loss'; readonly stream: string; readonly requestId: string | null }
  /** A connection begins to read a stream without a cursor: what came after the events so far, if any, nobody read. */
  | { readonly kind: 'unread'; readonly stream: string }
  | { readonly kind: 'hole'; readonly stream: string; readonly position: number }
  | { readonly kind: 'answered'; readonly stream: string; readonly ids: readonly string[] }
  | { readonly kind: 'finish'; readonly stream: string }
  | {
      readonly kind: 'reader';
      readonly stream: string;
      readonly requestId: string | null;
      readonly node: string;
      readonly isReading: boolean;
    };

/** A stream that one connection is served, and no other one of any process. */
export interface StreamHold {
  /** Asks whether it is held still: a process that stood still for longer than its lease may have been replaced. */
  verify(): Promise<boolean>;
  release(): void;
}

/** Claims of streams over all processes. */
export interface StreamHolds {
  /** Claims a stream for a connection; null while another one that is alive holds it. `onLost`: somebody took it over. */
  claim(place: { readonly key: string; readonly stream: string }, conn: string, onLost: () => void): Promise<StreamHold | null>;
  /** Claims a stream that nobody can know yet, before its first event is logged. */
  claimNew(place: { readonly key: string; readonly stream: string }, conn: string, onLost: () => void): StreamHold;
}

/** What the other processes that share a store answered to a question. */
export interface PeerAnswers {
  readonly answers: readonly string[];
  /** How many of them did not answer in time. */
  readonly silent: number;
}

/** The other processes that share a store, which may be asked about what only they know. */
export interface Peers {
  /** Rejects when they cannot be asked. */
  ask(question: string): Promise<PeerAnswers>;
  /** How the questions of others are answered here. */
  onAsk(answer: (question: string) => Promise<string>): void;
}

/** The store cannot be reached: nothing can be judged, and nothing may be guessed. */
export class StoreUnavailable extends Error {
  readonly code = 'store_unavailable';
}

/**
 * Where session logs live. Every method may throw or reject with `StoreUnavailable`.
 */
export interface SessionLogStore {
  /** The current log of a session, trimmed to now; null when none is known. */
  find(key: string): Maybe<SessionLog | null>;
  /** The log as this process holds it, at once: it may lack what others did since. Null where it holds none. */
  peek(key: string): SessionLog | null;
  /** Begins a log, or a new generation of the one that is there (a new `initialize` under the token). */
  begin(key: string, session: NewSession): Maybe<SessionLog>;
  /** Appends events in order, all or none. */
  append(key: string, stream: string, requestId: string | null, events: readonly NewEvent[]): Maybe<readonly AppendResult[]>;
  change(key: string, change: LogChange): Maybe<void>;
  /** Calls back after every change of the session, by any process; answers how to stop. Null where no other process can. */
  watch(key: string, onChange: () => void): (() => void) | null;
  /** Whether the process that reads a stream is known to be alive, so that the log holds all that it relayed. */
  isReaderAlive(node: string): Maybe<boolean>;
  /** Asks the process that reads a stream without a client to let go of it. */
  release(node: string, key: string, stream: string): Maybe<void>;
  onRelease(release: (key: string, stream: string) => void): void;
  readonly isShared: boolean;
  /** What this process holds of the logs. */
  readonly memoryHeld: HeldMemory;
  /** Follows the incarnations of an upstream over all processes; null where no other process sees any. */
  readonly followUpstream: ((upstream: string, onChange: (incarnation: Incarnation) => void) => SharedIncarnation) | null;
  /** Null where no other process can serve a stream. */
  readonly holds: StreamHolds | null;
  /** Null where no other process shares the store. */
  readonly peers: Peers | null;
  /** Resolves once sessions can be logged and judged. */
  ready(): Promise<void>;
  close(): Promise<void>;
}
