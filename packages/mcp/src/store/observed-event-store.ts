import { factMembers, type ReplayReport, replayedMember } from '../attempt-record.js';
import { storedText } from '../json-text.js';
import type { SessionLedger } from '../ledger/session-ledger.js';
import type { StreamLedger } from '../ledger/stream-ledger.js';
import type { SessionEventLog } from '../log/session-event-log.js';
import { type EvictCause, noteEmit, noteRecord } from '../notes/store-notes.js';
import type { Observer, ReplaySink } from '../observer.js';
import { isPlainResume } from '../recorder/plain-resume.js';
import { streamName } from '../stream-name.js';
import type { ResumeAttemptRecord, TelemetryRecord } from '../telemetry/record.js';
import type { CursorFacts } from '../verdict/cursor-facts.js';
import type { EventStoreLike } from './event-store.js';

export interface ObservedStoreOptions<M> {
  /** The session's book; null while its token is not known yet. */
  readonly ledger: () => SessionLedger | null;
  /** The wrapped store itself, where it is a log of ours: it is asked without a detour, and tells of its own evictions. */
  readonly log: SessionEventLog<M> | null;
  /** Asks the wrapped store whether it still has an event, by the store's own id. */
  readonly isRetained: ((eventId: string) => boolean) | undefined;
}

/**
 * An event store that behaves as the one it wraps, whatever happens to telemetry, and reports what it sees:
 * every stored event with its position, every eviction that can be seen, every replay with its facts.
 */
export class ObservedEventStore<M> implements EventStoreLike<M> {
  readonly getStreamIdForEventId?: (eventId: string) => Promise<string | undefined>;

  constructor(
    private readonly inner: EventStoreLike<M>,
    private readonly observer: Observer,
    private readonly options: ObservedStoreOptions<M>,
  ) {
    // The transport asks whether the lookup exists, so it exists exactly where the wrapped store has it.
    if (inner.getStreamIdForEventId !== undefined) this.getStreamIdForEventId = (eventId) => this.#lookUp(eventId);
  }

  async storeEvent(streamId: string, message: M): Promise<string> {
    const { log } = this.options;
    const innerId = log === null ? await this.inner.storeEvent(streamId, message) : log.append(streamId, message);
    try {
      return this.#stored(streamId, innerId, message);
    } catch (cause) {
      this.observer.failed(cause);
      return innerId;
    }
  }

  async replayEventsAfter(lastEventId: string, { send }: { send: (eventId: string, message: M) => Promise<void> }): Promise<string> {
    const facts = this.#facts(lastEventId);
    const sink = this.#begin(lastEventId, facts);
    const sent: { count: number; first: string | null; last: string | null } = { count: 0, first: null, last: null };
    try {
      const streamId = await this.inner.replayEventsAfter(this.#innerId(lastEventId), {
        send: async (innerId, message) => {
          const eventId = this.options.ledger()?.wireId(innerId) ?? innerId;
          await send(eventId, message);
          sent.count += 1;
          sent.first ??= eventId;
          sent.last = eventId;
        },
      });
      this.#report(lastEventId, { facts, outcome: 'replayed', ...sent }, sink);
      return streamId;
    } catch (cause) {
      this.#report(lastEventId, { facts, outcome: 'failed', ...sent }, sink);
      throw cause;
    }
  }

  /** Tells that the wrapped store dropped these events; ids as that store knows them. */
  evicted(eventIds: readonly string[], cause: EvictCause = 'count'): void {
    this.observer.quietly(() => {
      const ledger = this.options.ledger();
      if (ledger !== null) this.#evict(ledger, eventIds, cause);
    });
  }

  async #lookUp(eventId: string): Promise<string | undefined> {
    const facts = this.#facts(eventId);
    const streamId = await this.inner.getStreamIdForEventId?.(this.#innerId(eventId));
    if (!streamId) this.#report(eventId, { facts, outcome: 'not_found', count: 0, first: null, last: null }, this.#sink(eventId));
    return streamId;
  }

  #innerId(wireId: string): string {
    return this.options.ledger()?.innerId(wireId) ?? wireId;
  }

  #stored(streamId: string, innerId: string, message: M): string {
    const ledger = this.options.ledger();
    if (ledger === null) return innerId;
    const { log } = this.options;
    const isLog = log !== null;
    const { position, wireId } = isLog ? { position: null, wireId: innerId } : ledger.append(streamId, innerId, message);
    // As text, since whoever made the message may still change it.
    const text = storedText(message);
    if (isLog) ledger.stored(streamId, wireId);
    const { observer } = this;
    observer.note(
      ledger.options.token,
      noteEmit(observer.blank, ledger, { streamId, eventId: wireId, position, at: log?.newestAt ?? 0, text }, observer),
    );
    if (!isLog) this.#evictFront(ledger, ledger.stream(streamId));
    return wireId;
  }

  /** Facts of a cursor, after the wrapped store was asked what it still has where it can be asked. */
  #facts(lastEventId: string): CursorFacts | null {
    const facts = this.observer.quietly(() => {
      const ledger = this.options.ledger();
      if (ledger === null) return null;
      const stream = ledger.streamOf(ledger.innerId(lastEventId));
      this.#evictFront(ledger, stream);
      this.#evictHoles(ledger, stream);
      return ledger.cursorFacts(lastEventId);
    });
    return facts ?? null;
  }

  #evictFront(ledger: SessionLedger, stream: StreamLedger | undefined): void {
    const { isRetained } = this.options;
    if (isRetained === undefined || stream === undefined) return;
    const gone: string[] = [];
    for (let position = stream.head - stream.size + 1; position <= stream.head; position++) {
      const id = stream.idAt(position);
      if (id === null || isRetained(id)) break;
      gone.push(id);
    }
    if (gone.length > 0) this.#evict(ledger, gone, undefined);
  }

  #evictHoles(ledger: SessionLedger, stream: StreamLedger | undefined): void {
    const { isRetained } = this.options;
    if (isRetained === undefined || stream === undefined) return;
    const gone = stream.retained().filter((id) => !isRetained(id));
    if (gone.length > 0) this.#evict(ledger, gone, undefined);
  }

  #evict(ledger: SessionLedger, innerIds: readonly string[], cause: EvictCause | undefined): void {
    const common = {
      type: 'evict',
      ...ledger.names,
      ...(cause === undefined ? {} : { cause }),
    } as const;
    const touched = new Set<StreamLedger>();
    for (const innerId of innerIds) {
      const stream = ledger.streamOf(innerId);
      const position = ledger.place(innerId)?.position;
      if (stream === undefined || position === undefined) continue;
      stream.evict(position);
      touched.add(stream);
    }
    for (const stream of touched) {
      const floor = stream.floorId === null ? null : ledger.wireId(stream.floorId);
      const holes = innerIds.filter((id) => ledger.streamOf(id) === stream && stream.isHole(ledger.place(id)?.position ?? 0));
      const name = streamName(stream.stream);
      if (holes.length < innerIds.length) this.#note(ledger, { ...common, stream: name, floor });
      const eventIds = holes.map((id) => ledger.wireId(id));
      if (holes.length > 0) this.#note(ledger, { ...common, stream: name, event_ids: eventIds });
    }
  }

  #note(ledger: SessionLedger, record: TelemetryRecord): void {
    this.observer.note(ledger.options.token, noteRecord(this.observer.blank, record));
  }

  /** The guarded exchange that asks for the replay; undefined where there is none. */
  #sink(lastEventId: string): ReplaySink | undefined {
    const token = this.options.ledger()?.options.token;
    return token === undefined ? undefined : this.observer.replaySink(token, lastEventId);
  }

  #begin(lastEventId: string, facts: CursorFacts | null): ReplaySink | undefined {
    return this.observer.quietly(() => {
      const sink = facts === null ? undefined : this.#sink(lastEventId);
      if (facts !== null) sink?.begun(facts);
      return sink;
    });
  }

  /** Inside a guarded exchange the guard reports the attempt, with its status; here it is reported alone. */
  #report(
    lastEventId: string,
    report: Omit<ReplayReport, 'facts'> & { readonly facts: CursorFacts | null },
    sink: ReplaySink | undefined,
  ): void {
    this.observer.quietly(() => {
      const ledger = this.options.ledger();
      if (ledger === null || report.facts === null) return;
      const facts = withReplayedHead(ledger, report.facts, report.last);
      if (sink !== undefined) {
        sink.ended({ ...report, facts });
        return;
      }
      const attempt: ResumeAttemptRecord = {
        type: 'resume_attempt',
        session: ledger.options.token,
        ...(facts.stream === undefined ? {} : { stream: streamName(facts.stream) }),
        ...(ledger.client === undefined ? {} : { client: ledger.client }),
        last_event_id: lastEventId,
        ...factMembers(facts),
        ...OUTCOMES[report.outcome],
        ...replayedMember({ ...report, facts }),
      };
      this.observer.record(attempt, !isPlainResume(attempt));
    });
  }
}

/** What both SDK lines answer after each outcome; a resumed stream's status is left to whoever sees the answer. */
const OUTCOMES = {
  replayed: { verdict: 'resumed' },
  not_found: { verdict: 'refused', status: 400, code: -32000 },
  failed: { verdict: 'failed', status: 500, code: -32000 },
} as const;

/** What was appended during the replay and still replayed counts to the head that the replay was measured by. */
function withReplayedHead(ledger: SessionLedger, facts: CursorFacts, last: string | null): CursorFacts {
  const place = last === null ? undefined : ledger.place(ledger.innerId(last));
  if (place === undefined || facts.head === undefined || BigInt(place.position) <= facts.head) return facts;
  return place.stream === facts.stream ? { ...facts, head: BigInt(place.position) } : facts;
}
