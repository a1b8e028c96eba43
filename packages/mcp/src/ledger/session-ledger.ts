import { STANDALONE_STREAM } from '../store/event-store.js';
import type { ClientFacts } from '../telemetry/record.js';
import type { CursorFacts } from '../verdict/cursor-facts.js';
import type { SessionState } from '../verdict/facts.js';
import { IdStamp } from './id-stamp.js';
import type { EventAt, OwnLog } from './own-log.js';
import type { RpcId } from './stream-call.js';
import { StreamLedger } from './stream-ledger.js';

/** An earlier numbering under the same token. */
export interface PriorGeneration {
  readonly generation: string;
  /** Finds an id of that numbering; null when it had none such, undefined when it cannot be told any more. */
  find(innerId: string): EventAt | null | undefined;
  /** The request that its stream answers and whose answer comes after it; null where there is none. */
  pendingAt(place: EventAt): RpcId | null;
}

export interface LedgerOptions {
  readonly token: string;
  readonly generation: string;
  readonly prior: PriorGeneration | null;
  /** The session's log, where it is one that knows everything by itself: then no event is entered here. The state stays this book's. */
  readonly log?: OwnLog | undefined;
  /**
   * `store`: every stored event is entered, so positions and head are known. `wire`: only what was delivered is,
   * so that an id can be known or not, and nothing is claimed about the log behind it.
   */
  readonly source: 'store' | 'wire';
  readonly seesEvictions: boolean;
  /** Whether the ids on the wire carry their generation in front of the store's own id. */
  readonly stampIds: boolean;
  /** Ids remembered per session, retained or not. */
  readonly maxIds: number;
}

/**
 * The book of one session in one generation: where every event id stands, and what a cursor is worth. A wire
 * id is what the client sees; an inner id is the store's own. They differ only where ids are stamped.
 */
export class SessionLedger {
  state: SessionState = 'live';
  client: ClientFacts | undefined;
  protocolVersion: string | undefined;
  /** Whether deliveries are watched, so that "never delivered" is knowledge. */
  seesDeliveries = false;
  prior: PriorGeneration | null;
  /** When it was last moved to the end of the book, in uses of all sessions. */
  usedAt = 0;
  #hasStandaloneDelivery = false;
  /** The events of the log that were stored last: mostly those that are delivered next. */
  #newest: { id: string | null; stream: string } = { id: null, stream: '' };
  #beforeNewest: { id: string | null; stream: string } = { id: null, stream: '' };
  readonly #stamp: IdStamp | null;
  readonly #streams = new Map<string, StreamLedger>();
  readonly #places = new Map<string, EventAt>();
  #hasForgotten = false;

  constructor(readonly options: LedgerOptions) {
    this.prior = options.prior;
    this.#stamp = options.stampIds ? new IdStamp(options.token, options.generation) : null;
  }

  get generation(): string {
    return this.options.generation;
  }

  /** Members that name this session in a record. A generation is only claimed where the store is watched. */
  get names(): { readonly session: string; readonly generation?: string } {
    const { token, generation, source } = this.options;
    return source === 'store' ? { session: token, generation } : { session: token };
  }

  /** Enters a stored event, in the order of storing. An id that was issued before marks both places as reused. */
  append(stream: string, innerId: string, message?: unknown): { readonly position: number; readonly wireId: string } {
    const ledger = this.#openStream(stream);
    const position = ledger.append(innerId);
    ledger.call.note(position, message);
    const before = this.#places.get(innerId);
    if (before !== undefined) {
      this.#streams.get(before.stream)?.reuse(before.position);
      ledger.reuse(position);
      this.#places.delete(innerId);
    }
    this.#places.set(innerId, { stream, position });
    if (this.#places.size > this.options.maxIds) this.#forgetOldest();
    return { position, wireId: this.#stamp?.put(innerId, position) ?? innerId };
  }

  /** Says which event the session's log has just stored. */
  stored(stream: string, eventId: string): void {
    const older = this.#beforeNewest;
    this.#beforeNewest = this.#newest;
    this.#newest = older;
    older.id = eventId;
    older.stream = stream;
  }

  /** Of the two events that the log stored last, the one that a test holds for; null where it holds for neither. */
  recent(isIt: (eventId: string) => boolean): string | null {
    const [newest, before] = [this.#newest.id, this.#beforeNewest.id];
    if (newest !== null && isIt(newest)) return newest;
    return before !== null && isIt(before) ? before : null;
  }

  /** The wire form of one of the store's ids. */
  wireId(innerId: string): string {
    const place = this.#places.get(innerId);
    return this.#stamp === null || place === undefined ? innerId : this.#stamp.put(innerId, place.position);
  }

  /** The store's form of an id of this generation; any other text is left as it is, and so unknown to the store. */
  innerId(wireId: string): string {
    const stamped = this.#stamp?.read(wireId);
    return stamped?.generation === this.generation ? stamped.innerId : wireId;
  }

  /** The book of the stream that an event stands in; undefined where the id is not remembered. */
  streamOf(innerId: string): StreamLedger | undefined {
    const place = this.#places.get(innerId);
    return place === undefined ? undefined : this.#streams.get(place.stream);
  }

  stream(stream: string): StreamLedger | undefined {
    return this.#streams.get(stream);
  }

  /** Where an event stands, by the store's id; undefined where that is not known. */
  place(innerId: string): EventAt | undefined {
    return this.options.log === undefined ? this.#places.get(innerId) : this.options.log.place(innerId);
  }

  /** Whether anything was delivered on the standalone stream: its client has a cursor then. */
  get hasStandaloneDelivery(): boolean {
    return this.#hasStandaloneDelivery;
  }

  /** Says which request the stream that holds this event was opened for. */
  openedFor(wireId: string, requestId: RpcId): void {
    this.options.log?.openedFor(wireId, requestId);
    const stream = this.streamOf(this.innerId(wireId));
    if (stream !== undefined && stream.stream !== STANDALONE_STREAM) stream.call.opened(requestId);
  }

  /** Enters that an event went out, and answers the stream that it is of. */
  delivered(wireId: string): string | undefined {
    const stream = this.#recentStream(wireId) ?? this.#enterDelivery(wireId);
    if (stream === STANDALONE_STREAM) this.#hasStandaloneDelivery = true;
    return stream;
  }

  #recentStream(wireId: string): string | undefined {
    if (this.#newest.id === wireId) return this.#newest.stream;
    return this.#beforeNewest.id === wireId ? this.#beforeNewest.stream : undefined;
  }

  #enterDelivery(wireId: string): string | undefined {
    const place = this.place(this.innerId(wireId));
    if (place !== undefined) this.#streams.get(place.stream)?.delivered(place.position);
    return place?.stream;
  }

  /** What is known of a cursor now. */
  cursorFacts(wireId: string): CursorFacts {
    if (this.options.log !== undefined) {
      const asked = this.options.log.cursorFacts(wireId);
      if (asked.stream !== undefined) return { ...asked, sessionState: this.state };
      const before = this.prior?.find(wireId) ?? null;
      return { ...asked, sessionState: this.state, stream: before?.stream, pendingRequestId: this.#pendingBefore(wireId) };
    }
    if (this.options.source === 'wire') return this.#factsFromWire(wireId);
    if (this.#stamp === null) return this.#factsOf(wireId, null);
    const stamped = this.#stamp.read(wireId);
    return stamped === null ? this.#unknownCursor() : this.#factsOf(stamped.innerId, stamped);
  }

  /** Where an id stands; null when it was never issued here, undefined when that cannot be told any more. */
  find(innerId: string): EventAt | null | undefined {
    const place = this.place(innerId);
    if (place !== undefined) return place;
    return this.#hasForgotten ? undefined : null;
  }

  /** The request that the place's stream answers and whose answer comes after it. */
  pendingAt(place: EventAt): RpcId | null {
    if (this.options.log !== undefined) return this.options.log.pendingAt(place);
    return this.#streams.get(place.stream)?.call.pendingAfter(place.position) ?? null;
  }

  #pendingBefore(innerId: string): RpcId | null {
    const place = this.prior?.find(innerId) ?? null;
    return place === null ? null : (this.prior?.pendingAt(place) ?? null);
  }

  #factsFromWire(eventId: string): CursorFacts {
    const place = this.find(eventId);
    return { ...this.#unknownCursor(), generation: undefined, cursor: place === null ? null : undefined, stream: place?.stream };
  }

  #factsOf(innerId: string, named: { readonly generation: string; readonly position: number } | null): CursorFacts {
    const own = this.find(innerId);
    const requestedGeneration = named?.generation ?? this.#generationOf(innerId, own);
    const isPrior = requestedGeneration !== undefined && requestedGeneration !== this.generation;
    const place = isPrior ? (this.prior?.find(innerId) ?? own) : own;
    const position = place?.position ?? (isPrior ? named?.position : undefined);
    if (position === undefined && place === null) return this.#unknownCursor();
    return {
      sessionState: this.state,
      generation: this.generation,
      stream: place?.stream,
      cursor: position === undefined ? undefined : BigInt(position),
      requestedGeneration,
      ...this.#logOf(place?.stream),
      pendingRequestId: isPrior ? this.#pendingBefore(innerId) : place ? this.pendingAt(place) : null,
    };
  }

  #logOf(stream: string | undefined): Pick<CursorFacts, 'floor' | 'head' | 'holes' | 'reused' | 'earliestRetainedId'> {
    const ledger = stream === undefined ? undefined : this.#streams.get(stream);
    if (ledger === undefined) return { floor: undefined, head: undefined, holes: [], reused: [], earliestRetainedId: null };
    const { floor, floorId, head, holes, reused } = ledger;
    return {
      floor: floor === undefined ? undefined : BigInt(floor),
      head: BigInt(head),
      holes,
      reused,
      earliestRetainedId: floorId === null ? null : this.wireId(floorId),
    };
  }

  #unknownCursor(): CursorFacts {
    return {
      sessionState: this.state,
      generation: this.generation,
      stream: undefined,
      cursor: null,
      requestedGeneration: undefined,
      ...this.#logOf(undefined),
      pendingRequestId: null,
    };
  }

  /**
   * An id can stand in two numberings of one token. If it never went out in the live one, the client can only
   * have it from the earlier one; if that cannot be told either, neither can the generation.
   */
  #generationOf(innerId: string, own: EventAt | null | undefined): string | undefined {
    const { prior } = this;
    if (prior === null) return this.generation;
    const before = prior.find(innerId);
    if (own === null || own === undefined) return before === null || before === undefined ? this.generation : prior.generation;
    if (before === null) return this.generation;
    if (!this.seesDeliveries) return undefined;
    const deliveredUpTo = this.#streams.get(own.stream)?.deliveredUpTo ?? 0;
    return own.position > deliveredUpTo ? prior.generation : this.generation;
  }

  #openStream(stream: string): StreamLedger {
    const known = this.#streams.get(stream);
    if (known !== undefined) return known;
    const opened = new StreamLedger(stream, this.options.seesEvictions, this.options.maxIds);
    this.#streams.set(stream, opened);
    return opened;
  }

  #forgetOldest(): void {
    const oldest = this.#places.entries().next().value;
    if (oldest === undefined) return;
    const [innerId, place] = oldest;
    this.#places.delete(innerId);
    this.#hasForgotten = true;
    const ledger = this.#streams.get(place.stream);
    // With its newest id a finished stream's book is of no more use. The standalone stream goes on and keeps its count.
    if (place.stream !== STANDALONE_STREAM && ledger?.head === place.position) this.#streams.delete(place.stream);
  }
}
