import type { Random } from '@/tests/audit/random';

/** A telemetry record as it goes over the wire. */
export type Wire = { type: string } & Record<string, unknown>;

interface LogEvent {
  id: string;
  isPriming: boolean;
  isWithheld: boolean;
  digest: string;
  response: number | null;
}

interface SimStream {
  name: string;
  events: LogEvent[];
  /** Index of the oldest retained event. */
  floor: number;
  conn: { name: string; next: number } | null;
  /** What the client really has: index of the last event that arrived, −1 for none. */
  cursor: number;
  /** Indices of the events that were written to the client, oldest first: what its cursor can be. */
  arrived: number[];
  /** The cursor is of an earlier generation. */
  staleId: string | null;
  everConnected: boolean;
  isFinished: boolean;
  call: number | null;
}

interface SimSession {
  token: string;
  generation: string;
  counter: number;
  streams: Map<string, SimStream>;
  isGone: boolean;
}

/** How the server of a schedule names its events. */
export const ID_STYLES = ['integer', 'huge', 'stream-index', 'opaque', 'epoch', 'padded'] as const;
export type IdStyle = (typeof ID_STYLES)[number];

/**
 * A random schedule of a *correct* server, its clients and a network that drops connections: several sessions and
 * streams, priming, withheld events, evictions, rightful refusals, restarts with a new generation, durable
 * restarts, re-initialisation. Whatever the audit finds against the server in it is a false alarm.
 */
export class Schedule {
  readonly records: Wire[] = [];
  readonly #random: Random;
  readonly #style: IdStyle;
  readonly #hasTimes: boolean;
  readonly #hasClaims: boolean;
  readonly #hasDigests: boolean;
  #sessions: SimSession[] = [];
  #at = 1_764_500_000_000;
  #names = 0;
  #generation = 1;
  #opaque = 0;

  constructor(random: Random, steps: number) {
    this.#random = random;
    this.#style = random.pick(ID_STYLES);
    this.#hasTimes = random.chance(0.7);
    this.#hasClaims = random.chance(0.5);
    this.#hasDigests = random.chance(0.5);
    this.#put({ type: 'boot', node: 'n1', generation: this.#label() });
    this.#initialize();
    for (let step = 0; step < steps; step++) this.#step();
  }

  #put(record: Wire): void {
    this.#at += this.#random.integer(1, 40_000);
    this.records.push(this.#hasTimes ? { ...record, at: this.#at } : record);
  }

  #label = (): string => `g${this.#generation}`;
  #conn = (): string => `c${++this.#names}`;

  #initialize(): SimSession {
    const session: SimSession = { token: `T${++this.#names}`, generation: this.#label(), counter: 0, streams: new Map(), isGone: false };
    this.#put({ type: 'request', rpc: { method: 'initialize', id: 0 }, status: 200, session: null });
    this.#put({ type: 'session', event: 'created', session: session.token, generation: session.generation, node: 'n1' });
    this.#sessions.push(session);
    return session;
  }

  #stream(session: SimSession, name: string): SimStream {
    let stream = session.streams.get(name);
    if (stream === undefined) {
      stream = {
        name,
        events: [],
        floor: 0,
        conn: null,
        cursor: -1,
        arrived: [],
        staleId: null,
        everConnected: false,
        isFinished: false,
        call: null,
      };
      session.streams.set(name, stream);
    }
    return stream;
  }

  #newId(session: SimSession, stream: SimStream): string {
    const number = session.counter++;
    switch (this.#style) {
      case 'integer':
        return String(number);
      case 'huge':
        return (653_247_040_368_672_768n + BigInt(number)).toString();
      case 'stream-index':
        return `${stream.name}_${stream.events.length}_${session.generation}`;
      case 'epoch':
        return `${session.generation}:${number}`;
      case 'padded':
        return `ev-${String(number).padStart(8, '0')}-${stream.name}`;
      case 'opaque':
        return `${((++this.#opaque * 2_654_435_761) >>> 0).toString(16)}-${this.#opaque}x`;
    }
  }

  #step(): void {
    const live = this.#sessions.filter((session) => !session.isGone);
    const session = live.length === 0 || (live.length < 4 && this.#random.chance(0.05)) ? this.#initialize() : this.#random.pick(live);
    const streams = [...session.streams.values()];
    const stream = streams.length === 0 || this.#random.chance(0.5) ? this.#stream(session, 'get') : this.#random.pick(streams);
    const acts: readonly [weight: number, act: () => void][] = [
      [30, () => this.#emit(session, this.#stream(session, 'get'))],
      [24, () => this.#connect(session, stream)],
      [12, () => this.#drop(session, stream)],
      [10, () => this.#call(session)],
      [10, () => this.#progress(session, stream)],
      [7, () => this.#evict(session, stream)],
      [2, () => this.#plain(session)],
      [2, () => this.#restart()],
      [1, () => this.#durableRestart()],
      [2, () => this.#end(session)],
    ];
    let at = this.#random.integer(0, 99);
    for (const [weight, act] of acts) {
      at -= weight;
      if (at < 0) {
        act();
        return;
      }
    }
  }

  #append(session: SimSession, stream: SimStream, event: Partial<LogEvent>): LogEvent {
    const full: LogEvent = {
      id: this.#newId(session, stream),
      isPriming: false,
      isWithheld: false,
      digest: `d${++this.#names}`,
      response: null,
      ...event,
    };
    stream.events.push(full);
    return full;
  }

  #record(session: SimSession, stream: SimStream): Wire {
    return { type: '', session: session.token, stream: stream.name, generation: session.generation };
  }

  #emit(session: SimSession, stream: SimStream): void {
    const isWithheld = this.#random.chance(0.05);
    const events = Array.from({ length: this.#random.integer(1, 4) }, () => this.#append(session, stream, { isWithheld }));
    this.#put({
      ...this.#record(session, stream),
      type: 'emit',
      ...(events.length === 1 ? { event_id: events[0]?.id } : { event_ids: events.map((event) => event.id) }),
      ...(this.#hasDigests ? { digests: events.map((event) => event.digest) } : {}),
      ...(isWithheld ? { to: 'other' } : {}),
    });
    this.#write(session, stream);
  }

  /** Writes what the open connection is owed, in one record or several. */
  #write(session: SimSession, stream: SimStream): void {
    const { conn } = stream;
    if (conn === null) return;
    while (conn.next < stream.events.length) {
      const some = stream.events.slice(conn.next, conn.next + this.#random.integer(1, 5));
      conn.next += some.length;
      const written = some.filter((event) => !event.isWithheld);
      if (written.length === 0) continue;
      this.#put({ ...this.#record(session, stream), type: 'deliver', conn: conn.name, event_ids: written.map((event) => event.id) });
      const last = written.at(-1);
      if (last === undefined) continue;
      stream.cursor = stream.events.indexOf(last);
      for (const event of written) stream.arrived.push(stream.events.indexOf(event));
    }
  }

  #connect(session: SimSession, stream: SimStream): void {
    if (stream.conn !== null) return;
    if (stream.name !== 'get' && (stream.cursor < 0 || stream.isFinished)) return;
    if (stream.staleId !== null) this.#resumeStale(session, stream, stream.staleId);
    else if (stream.cursor >= 0) this.#resume(session, stream);
    else {
      const name = this.#conn();
      stream.conn = { name, next: stream.events.length };
      this.#put({ ...this.#record(session, stream), type: 'open', conn: name, method: 'GET', status: 200 });
    }
  }

  #resume(session: SimSession, stream: SimStream): void {
    const name = this.#conn();
    const cursor = stream.events[stream.cursor];
    const attempt = { ...this.#record(session, stream), type: 'resume_attempt', conn: name, last_event_id: cursor?.id };
    if (stream.cursor < stream.floor - 1) {
      this.#put({ ...attempt, verdict: 'refused', status: 409, reason: 'below_floor' });
      this.#giveUp(session, stream);
      return;
    }
    const owed = stream.events.slice(stream.cursor + 1).filter((event) => !event.isWithheld);
    const claim = { count: owed.length, first: owed[0]?.id ?? null, last: owed.at(-1)?.id ?? null };
    this.#put({ ...attempt, verdict: 'resumed', status: 200, ...(this.#hasClaims ? { replayed: claim } : {}) });
    stream.conn = { name, next: stream.cursor + 1 };
    this.#write(session, stream);
    this.#finish(session, stream);
  }

  #resumeStale(session: SimSession, stream: SimStream, id: string): void {
    const record = { ...this.#record(session, stream), type: 'resume_attempt', conn: this.#conn(), last_event_id: id };
    this.#put({ ...record, verdict: 'refused', status: 409, reason: 'generation_mismatch' });
    this.#giveUp(session, stream);
  }

  /** After a refusal the client starts a new session, or drops the cursor. */
  #giveUp(session: SimSession, stream: SimStream): void {
    stream.cursor = -1;
    stream.arrived = [];
    stream.staleId = null;
    if (stream.name !== 'get') stream.isFinished = true;
    if (!this.#random.chance(0.5)) return;
    session.isGone = true;
    for (const other of session.streams.values()) this.#close(session, other, 'client');
    this.#initialize();
  }

  #close(session: SimSession, stream: SimStream, by: string): void {
    if (stream.conn === null) return;
    this.#put({ ...this.#record(session, stream), type: 'close', conn: stream.conn.name, by });
    stream.conn = null;
  }

  /** The network drops the connection; the newest frames may never have arrived. */
  #drop(session: SimSession, stream: SimStream): void {
    if (stream.conn === null) return;
    const by = this.#random.pick(['network', 'network', 'client', 'server']);
    if (by === 'network' && this.#random.chance(0.5)) {
      for (let back = this.#random.integer(0, 3); back > 0 && stream.arrived.length > 1; back--) stream.arrived.pop();
      stream.cursor = stream.arrived.at(-1) ?? stream.cursor;
    }
    this.#close(session, stream, by);
  }

  #call(session: SimSession): void {
    const id = ++this.#names;
    const stream = this.#stream(session, `r${id}`);
    const name = this.#conn();
    stream.call = id;
    stream.conn = { name, next: 0 };
    const request = { ...this.#record(session, stream), type: 'request', conn: name, rpc: { method: 'tools/call', id } };
    this.#put({ ...request, status: 200, content_type: 'text/event-stream', tool: `tool${id}`, args_digest: `a${id}`, idempotent: false });
    const priming = this.#append(session, stream, { isPriming: true });
    this.#put({ ...this.#record(session, stream), type: 'emit', event_id: priming.id, kind: 'priming' });
    this.#write(session, stream);
  }

  /** Progress or the answer of a pending call; after the answer was written the server ends the stream. */
  #progress(session: SimSession, stream: SimStream): void {
    if (stream.call === null || stream.isFinished || stream.events.some((event) => event.response !== null)) return;
    const isAnswer = this.#random.chance(0.5);
    const event = this.#append(session, stream, { response: isAnswer ? stream.call : null });
    const rpc = isAnswer
      ? { type: 'response', id: stream.call }
      : { type: 'notification', method: 'notifications/progress', progress_token: stream.call };
    this.#put({ ...this.#record(session, stream), type: 'emit', event_id: event.id, kind: 'message', rpc });
    this.#write(session, stream);
    this.#finish(session, stream);
  }

  #finish(session: SimSession, stream: SimStream): void {
    const answer = stream.events.findIndex((event) => event.response !== null);
    if (stream.name === 'get' || stream.conn === null || answer < 0 || stream.cursor < answer) return;
    this.#close(session, stream, 'server');
    stream.isFinished = true;
  }

  #evict(session: SimSession, stream: SimStream): void {
    if (stream.events.length === 0) return;
    const floor = this.#random.integer(stream.floor, stream.events.length);
    if (floor === stream.floor) return;
    stream.floor = floor;
    this.#put({ ...this.#record(session, stream), type: 'evict', floor: stream.events[floor]?.id ?? null, cause: 'count' });
  }

  #plain(session: SimSession): void {
    this.#put({ type: 'request', session: session.token, rpc: { method: 'tools/list', id: ++this.#names }, status: 200 });
  }

  /** The process restarts: some sessions are rebuilt under a new generation, the rest are gone and say 404. */
  #restart(): void {
    for (const session of this.#sessions)
      if (!session.isGone) for (const stream of session.streams.values()) this.#close(session, stream, 'network');
    this.#generation++;
    this.#put({ type: 'boot', node: 'n1', generation: this.#label() });
    for (const session of this.#sessions.filter((candidate) => !candidate.isGone)) {
      if (this.#random.chance(0.5)) this.#rebuild(session);
      else {
        session.isGone = true;
        this.#put({ type: 'request', session: session.token, rpc: { method: 'tools/list', id: ++this.#names }, status: 404, code: -32001 });
        this.#initialize();
      }
    }
  }

  #rebuild(session: SimSession): void {
    session.generation = this.#label();
    session.counter = 0;
    this.#put({ type: 'session', event: 'restored', session: session.token, generation: session.generation, node: 'n1' });
    for (const stream of session.streams.values()) {
      stream.staleId = stream.staleId ?? stream.events[stream.cursor]?.id ?? null;
      stream.events = [];
      stream.arrived = [];
      stream.floor = 0;
      stream.cursor = -1;
      if (stream.name !== 'get') stream.isFinished = true;
    }
  }

  /** The process restarts and takes up its durable sessions as they were. */
  #durableRestart(): void {
    for (const session of this.#sessions)
      if (!session.isGone) for (const stream of session.streams.values()) this.#close(session, stream, 'network');
    this.#put({ type: 'boot', node: 'n1' });
    for (const session of this.#sessions) {
      if (!session.isGone)
        this.#put({ type: 'session', event: 'restored', session: session.token, generation: session.generation, node: 'n1' });
    }
  }

  #end(session: SimSession): void {
    for (const stream of session.streams.values()) this.#close(session, stream, 'client');
    this.#put({ type: 'session', event: 'ended', session: session.token });
    session.isGone = true;
  }
}
