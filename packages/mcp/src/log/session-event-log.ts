import { writtenText } from '../json-text.js';
import type { RpcId } from '../ledger/stream-call.js';
import { STANDALONE_STREAM } from '../store/event-store.js';
import type { CursorFacts } from '../verdict/cursor-facts.js';
import { decideResume, decisionFor, reasonWithoutLog } from '../verdict/decide.js';
import type { Decision, FloorRule, LogFacts, ResumeFacts } from '../verdict/facts.js';
import { EventIds, newGeneration } from './event-id.js';
import { ResumeGapError } from './resume-gap-error.js';
import { type LogEvent, StreamEvents } from './stream-events.js';

export type EvictionCause = 'count' | 'bytes' | 'age' | 'stream_end';

export interface SessionEventLogOptions {
  /** Session token; ids of other sessions are unknown to this log. It is never part of an id in clear. */
  readonly sessionId: string;
  /** Identity of this numbering. Give one only when the log is rebuilt whole. @defaultValue a label of its own */
  readonly generation?: string | number;
  /** Events kept per stream. @defaultValue 1000 */
  readonly maxEvents?: number;
  /** Bytes of JSON kept over all streams of the session. @defaultValue 8 MiB */
  readonly maxBytes?: number;
  /** Milliseconds that an event is kept. @defaultValue 10 minutes */
  readonly maxAgeMs?: number;
  /** Streams remembered; the one idle for longest is forgotten, never the standalone one. @defaultValue 256 */
  readonly maxStreams?: number;
  /** @defaultValue `successor` */
  readonly floorRule?: FloorRule;
  /** Epoch milliseconds. @defaultValue `Date.now` */
  readonly now?: () => number;
}

/** What a log tells to whoever watches it. Called in order, inside the operation that caused it. */
export interface EvictionListener {
  /** `floorId` is the oldest event still retained on the stream, null when none is; told once for a stream that is forgotten. */
  evicted(stream: string, floorId: string | null, cause: EvictionCause): void;
}

/** A resume that can be served whole: every event after the cursor, in order. */
export interface ResumedRun<M> {
  readonly stream: string;
  readonly generation: string;
  readonly events: readonly LogEvent<M>[];
}

/**
 * A bounded log of one session's events, by stream. It replays whole or refuses: a cursor is served only when
 * every event after it is retained, in this generation, on its own stream. The cursor's own event may be gone.
 */
export class SessionEventLog<M = unknown> {
  readonly generation: string;
  readonly #ids: EventIds;
  readonly #limits: { events: number; bytes: number; ageMs: number; streams: number };
  readonly #floorRule: FloorRule;
  readonly #now: () => number;
  /** In order of their newest event, so that the first is idle for longest. */
  readonly #streams = new Map<string, StreamEvents<M>>();
  readonly #bySerial = new Map<number, StreamEvents<M>>();
  #serials = 0;
  #order = 0;
  #bytes = 0;
  /** No retained event is older than this, so that most appends need not look. */
  #oldestAt = Number.POSITIVE_INFINITY;
  #newestAt = 0;
  #listener: EvictionListener | null = null;

  constructor(options: SessionEventLogOptions) {
    this.generation = options.generation === undefined ? newGeneration() : String(options.generation);
    this.#ids = new EventIds(options.sessionId, this.generation);
    this.#limits = {
      events: atLeastOne('maxEvents', options.maxEvents ?? 1000),
      bytes: atLeastOne('maxBytes', options.maxBytes ?? 8 * 1024 * 1024),
      ageMs: atLeastOne('maxAgeMs', options.maxAgeMs ?? 10 * 60_000),
      streams: atLeastOne('maxStreams', options.maxStreams ?? 256),
    };
    this.#floorRule = options.floorRule ?? 'successor';
    this.#now = options.now ?? Date.now;
  }

  /** Appends an event to a stream and returns its id. Evicts from the front whatever is over a bound. */
  append(stream: string, message: M): string {
    const events = this.#touch(stream);
    const position = events.head + 1;
    const id = this.#ids.mint(events.serial, position);
    const bytes = Buffer.byteLength(writtenText(message));
    const at = this.#now();
    this.#newestAt = at;
    events.append({ id, position, message, bytes, at, order: this.#order++ });
    this.#oldestAt = Math.min(this.#oldestAt, at);
    this.#bytes += bytes;
    this.#expire();
    while (events.size > this.#limits.events) this.#evict(events, 'count');
    while (this.#bytes > this.#limits.bytes) {
      const oldest = this.#oldest();
      if (oldest === undefined) break;
      this.#evict(oldest, 'bytes');
    }
    this.#forgetIdleStreams();
    return id;
  }

  /** Epoch milliseconds at which the newest event was appended; 0 before the first. */
  get newestAt(): number {
    return this.#newestAt;
  }

  /** Id of the oldest event still retained on the stream; null when none is. */
  floorId(stream: string = STANDALONE_STREAM): string | null {
    this.#expire();
    return this.#streams.get(stream)?.oldest?.id ?? null;
  }

  /** Id of the newest event ever appended to the stream, retained or not; null before the first. */
  headId(stream: string = STANDALONE_STREAM): string | null {
    const events = this.#streams.get(stream);
    return events === undefined || events.head === 0 ? null : this.#ids.mint(events.serial, events.head);
  }

  /**
   * Everything after the cursor on the cursor's own stream, in order.
   *
   * @throws ResumeGapError when that cannot be served whole; it carries the reason and the earliest retained id.
   */
  resumeFrom(lastEventId: string): ResumedRun<M> {
    const { decision, earliestRetainedId, events } = this.#judge(lastEventId);
    if (decision.reason !== 'ok' || events === undefined || decision.replay === null) {
      throw new ResumeGapError(decision.reason === 'ok' ? 'unknown_cursor' : decision.reason, decision, earliestRetainedId);
    }
    return { stream: events.stream, generation: this.generation, events: events.after(Number(decision.replay.from) - 1) };
  }

  /** What the log knows about a cursor; the facts that a verdict is made of. */
  cursorFacts(lastEventId: string): CursorFacts {
    this.#expire();
    const { facts, log, events } = this.#locate(lastEventId);
    return {
      sessionState: 'live',
      generation: this.generation,
      stream: events?.stream,
      cursor: facts.cursor,
      requestedGeneration: facts.requestedGeneration,
      floor: log?.floor,
      head: log?.head,
      holes: [],
      reused: [],
      earliestRetainedId: events?.oldest?.id ?? null,
      pendingRequestId: pendingIn(events, facts.cursor),
    };
  }

  /** Says which request the stream that holds this event was opened for. */
  openedFor(eventId: string, requestId: RpcId): void {
    const { events } = this.#locate(eventId);
    if (events !== undefined && events.stream !== STANDALONE_STREAM) events.call.opened(requestId);
  }

  /** Where an event of this numbering stands; undefined where it is of another, or its stream is forgotten. */
  place(eventId: string): { readonly stream: string; readonly position: number } | undefined {
    const place = this.#ids.read(eventId);
    const events = place?.generation === this.generation ? this.#bySerial.get(place.streamSerial) : undefined;
    return place === null || events === undefined ? undefined : { stream: events.stream, position: place.position };
  }

  /** The request that the place's stream answers and whose answer comes after it; null where there is none. */
  pendingAt({ stream, position }: { readonly stream: string; readonly position: number }): RpcId | null {
    return this.#streams.get(stream)?.call.pendingAfter(position) ?? null;
  }

  /** Tells `listener` of every later eviction; one at a time. */
  onEvict(listener: EvictionListener): void {
    this.#listener = listener;
  }

  #judge(lastEventId: string): { decision: Decision; earliestRetainedId: string | null; events: StreamEvents<M> | undefined } {
    this.#expire();
    const { facts, log, events } = this.#locate(lastEventId);
    const decision =
      log === null
        ? decisionFor(reasonWithoutLog(facts) ?? 'unknown_cursor', facts.cursor, null, this.#floorRule)
        : decideResume(facts, log, this.#floorRule);
    return { decision, earliestRetainedId: events?.oldest?.id ?? null, events };
  }

  #locate(lastEventId: string): { facts: ResumeFacts; log: LogFacts | null; events: StreamEvents<M> | undefined } {
    const place = this.#ids.read(lastEventId);
    const isOurs = place !== null && place.generation === this.generation;
    const events = isOurs ? this.#bySerial.get(place.streamSerial) : undefined;
    // A stream that was forgotten can prove nothing any more: its cursors are as good as never issued.
    const cursor = place === null || (isOurs && events === undefined) ? null : BigInt(place.position);
    const log =
      events === undefined ? null : { floor: BigInt(events.floor), head: BigInt(events.head), holes: [], reused: [], coveredFrom: null };
    return {
      facts: {
        protocolVersion: null,
        sessionState: 'live',
        generation: this.generation,
        lastEventId,
        cursor,
        requestedGeneration: cursor === null ? null : (place?.generation ?? null),
      },
      log,
      events,
    };
  }

  #touch(stream: string): StreamEvents<M> {
    const known = this.#streams.get(stream);
    const events = known ?? new StreamEvents<M>(stream, this.#serials++);
    if (known === undefined) this.#bySerial.set(events.serial, events);
    else this.#streams.delete(stream);
    this.#streams.set(stream, events);
    return events;
  }

  #oldest(): StreamEvents<M> | undefined {
    let oldest: StreamEvents<M> | undefined;
    for (const events of this.#streams.values()) {
      const order = events.oldest?.order;
      if (order !== undefined && order < (oldest?.oldest?.order ?? Number.POSITIVE_INFINITY)) oldest = events;
    }
    return oldest;
  }

  #expire(): void {
    const limit = this.#now() - this.#limits.ageMs;
    if (this.#oldestAt >= limit) return;
    this.#oldestAt = Number.POSITIVE_INFINITY;
    for (const events of this.#streams.values()) {
      while (events.oldest !== undefined && events.oldest.at < limit) this.#evict(events, 'age');
      this.#oldestAt = Math.min(this.#oldestAt, events.oldest?.at ?? Number.POSITIVE_INFINITY);
    }
  }

  #forgetIdleStreams(): void {
    for (const [stream, events] of this.#streams) {
      if (this.#streams.size <= this.#limits.streams) return;
      if (stream === STANDALONE_STREAM) continue;
      if (events.size > 0) {
        this.#bytes -= events.clear();
        this.#listener?.evicted(stream, null, 'stream_end');
      }
      this.#streams.delete(stream);
      this.#bySerial.delete(events.serial);
    }
  }

  #evict(events: StreamEvents<M>, cause: EvictionCause): void {
    const event = events.evict();
    if (event === undefined) return;
    this.#bytes -= event.bytes;
    this.#listener?.evicted(events.stream, events.oldest?.id ?? null, cause);
  }
}

function pendingIn(events: StreamEvents<unknown> | undefined, cursor: bigint | null): RpcId | null {
  return events === undefined || cursor === null ? null : events.call.pendingAfter(Number(cursor));
}

function atLeastOne(name: string, value: number): number {
  if (!(value >= 1)) throw new TypeError(`${name} must be at least 1`);
  return value;
}
