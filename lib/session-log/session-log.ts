import type { NewEvent } from '@/lib/session-log/event-ring';
import { isAfter } from '@/lib/session-log/forgotten-ids';
import { IdIndex, type Owner } from '@/lib/session-log/id-index';
import type { Numbering } from '@/lib/session-log/numbering';
import { ENTRY_BYTES, fallsBack, type Retention, StreamLog } from '@/lib/session-log/stream-log';
import type { Told } from '@/lib/session-log/told';

/** Streams of one session that are remembered; the longest finished one goes first. */
export const STREAMS_MAX = 512;

/** The share of a bound that is freed beyond it, so that the next events find room. */
const SLACK = 8;

/** Where a cursor of an earlier generation stood. */
export interface PastCursor {
  /** Null where it cannot be told which generation issued it. */
  readonly generation: string | null;
  readonly position: number;
  /** The requests that were still waiting on that stream, see `pendingText`; null when none was. */
  readonly pendingRequestId: string | null;
}

export interface AppendResult {
  readonly position: number;
  /** The id came before in this stream with other data: the numbering was rebuilt, a new generation began. */
  readonly startedGeneration: boolean;
}

/**
 * What is known of one session: its live generation, the logs of its streams, and the ids of earlier
 * generations. Deterministic: the same calls with the same instants give the same state, in any process.
 */
export class SessionLog {
  state: 'live' | 'evicted' = 'live';
  /** After a refusal for its generation only a new `initialize` helps; everything else gets 404. */
  isFenced = false;
  lastAt: number;
  /** What the upstream's own telemetry told of the session's numbering; null before it told anything. */
  told: Told | null = null;
  /** Incarnation of the upstream that the live generation is of; null where nobody kept it. */
  incarnation: number | null = null;
  /** Last value of the route's instance header. */
  instance: string | null = null;
  /** Instant of the last request of it, beside its events: a session is silent when neither comes. */
  askedAt = 0;
  /** Positions of copies with the same value mean the same: 1, or the first change of a copy that could not tell what came before it. */
  numberedFrom = 1;
  /** Events that were given up because a session or the process held too much. */
  givenUp = 0;
  /** Of the streams. */
  private heldBytes = 0;
  private frameBytes = 0;
  private pastBytes = 0;
  private generationNumber = 1;
  private readonly streams = new Map<string, StreamLog>();
  /** Stream that was asked for last: in a run of events it is the same one. */
  private latest: StreamLog | null = null;
  private readonly ids = new IdIndex();
  /** Whether ids of the live generation are forgotten that an earlier one might issue again. */
  private hasForgotten = false;
  /** Set once ids of earlier generations are forgotten: only what comes after `above`, if anything, is none of them. */
  private lost: { readonly above: string | null } | null = null;
  private readonly past = new Map<string, PastCursor>();
  private readonly release = (id: string, stream: StreamLog): void => this.ids.release(id, stream);

  constructor(
    /** Opaque and unique to this log's life, so that a generation of a restarted process never equals an old one. */
    private readonly generationPrefix: string,
    /** Keyed hash of the credential that the session was created with. */
    readonly principal: string,
    /** False when the session was alive before this log began: earlier cursors exist that it never saw. */
    public isHeardFromStart: boolean,
    readonly createdAt: number,
    private readonly retention: Retention,
  ) {
    this.lastAt = createdAt;
  }

  get generation(): string {
    return `${this.generationPrefix}.${this.generationNumber}`;
  }

  /** Bytes of memory that it holds, about. */
  get held(): number {
    return this.heldBytes + this.pastBytes + this.ids.held;
  }

  /** When an event or a request of it came last. */
  get silentSince(): number {
    return Math.max(this.lastAt, this.askedAt);
  }

  numbering(): Numbering {
    const { generationNumber: generation, isHeardFromStart, told } = this;
    const streams = this.listStreams().map((stream) => stream.numbering());
    return { generation, isHeardFromStart, told, streams, rising: this.ids.risingIds };
  }

  /** Counts on from where another copy stood, before anything is logged here. */
  countFrom({ generation, isHeardFromStart, told, streams, rising }: Numbering): void {
    this.generationNumber = generation;
    this.isHeardFromStart = isHeardFromStart;
    this.told = told;
    for (const stream of streams) this.streams.set(stream.name, StreamLog.countingFrom(stream));
    this.ids.continueRising(rising, this.streams);
  }

  listStreams(): StreamLog[] {
    return [...this.streams.values()];
  }

  stream(name: string): StreamLog | null {
    return this.streams.get(name) ?? null;
  }

  /** The named stream of the live generation, opened when it is new. */
  openStream(name: string, requestId: string | null, now: number): StreamLog {
    if (this.latest?.name === name) return this.latest;
    const known = this.streams.get(name);
    if (known !== undefined) {
      this.latest = known;
      return known;
    }
    if (this.streams.size >= STREAMS_MAX) this.dropOldestStream();
    const stream = new StreamLog(name, requestId, now);
    this.streams.set(name, stream);
    this.latest = stream;
    return stream;
  }

  /**
   * Logs an event that was relayed live. An id that this stream already issued with other data starts a new
   * generation; with equal data, or in another stream, it is a collision: the id no longer names one position. Where a
   * stream that counts falls back to a number that it does not remember, its numbering may have begun anew: a new
   * generation, and which one issued the cursors so far is not known.
   */
  append(name: string, requestId: string | null, event: NewEvent): AppendResult {
    let stream = this.openStream(name, requestId, event.at);
    const { id } = event;
    let startedGeneration = false;
    let isClaimed = id === null || this.ids.claimGreatest(id, stream);
    const rebuilt = isClaimed ? 'no' : this.rebuiltBy(stream, event);
    if (rebuilt !== 'no') {
      startedGeneration = true;
      this.startGeneration(rebuilt === 'maybe');
      stream = this.openStream(name, requestId, event.at);
      isClaimed = id === null || this.ids.claimGreatest(id, stream);
    }
    const before = stream.held;
    const framesBefore = stream.frameBytes;
    const position = stream.append(event);
    this.lastAt = event.at;
    if (!isClaimed && id !== null) this.ids.claim(id, stream, position);
    stream.trim(this.retention, event.at, this.release);
    this.heldBytes += stream.held - before;
    this.frameBytes += stream.frameBytes - framesBefore;
    const framesMax = this.retention.sessionBytes ?? 4 * this.retention.bytes;
    if (this.frameBytes > framesMax) this.giveUp(framesMax - framesMax / SLACK);
    return { position, startedGeneration };
  }

  /** Owner of an id; null when several streams or positions claim it, undefined when it was never issued. */
  owner(id: string): Owner | null | undefined {
    return this.ids.owner(id);
  }

  /** Whether an id was issued in the live generation and nothing of what followed it is kept: its stream was dropped, or went on. */
  isDropped(id: string): boolean {
    return this.isHeardFromStart && this.generationNumber === 1 && this.ids.wasForgotten(id);
  }

  /** Whether an id was issued, it is not known in which generation. */
  isForgotten(id: string): boolean {
    return this.ids.wasForgotten(id);
  }

  pastCursor(id: string): PastCursor | null {
    return this.past.get(id) ?? null;
  }

  /**
   * Whether an id that the live generation issued was certainly issued by no earlier one: numberings begin anew, and what an
   * earlier one issued long ago is not remembered for ever.
   */
  isOfNoOther(id: string): boolean {
    if (this.past.has(id)) return false;
    return this.lost === null || (this.lost.above !== null && isAfter(id, this.lost.above));
  }

  /** Ids of earlier generations are not known here, all of them up to `above`; null where that is not known either. */
  loseIds(above: string | null): void {
    if (this.lost === null) this.lost = { above };
    else if (above === null || this.lost.above === null) this.lost = { above: null };
    else if (isAfter(above, this.lost.above)) this.lost = { above };
  }

  /** The client began anew under this token: it has no cursor of before. */
  beginAnew(): void {
    this.lost = null;
  }

  /**
   * The numbering was rebuilt: every cursor so far is of an earlier generation. Where that is in doubt, every cursor so
   * far is of a generation that is not known.
   */
  startGeneration(isDoubtful = false): void {
    const generation = isDoubtful ? null : this.generation;
    if (this.hasForgotten || this.listStreams().some((stream) => stream.hasForgotten)) this.loseIds(this.ids.rising);
    this.hasForgotten = false;
    for (const stream of this.streams.values()) {
      const { pendingRequestId } = stream;
      stream.forEachId((id, position) => this.rememberPast(id, { generation, position, pendingRequestId }));
    }
    this.streams.clear();
    this.heldBytes = 0;
    this.frameBytes = 0;
    this.latest = null;
    this.ids.clear();
    this.generationNumber++;
  }

  /** The session is over: nothing of it is kept but the fact. */
  end(now: number): void {
    this.state = 'evicted';
    this.streams.clear();
    this.heldBytes = 0;
    this.frameBytes = 0;
    this.latest = null;
    this.ids.reset();
    this.past.clear();
    this.lost = null;
    this.hasForgotten = false;
    this.pastBytes = 0;
    this.lastAt = now;
  }

  /**
   * Gives up frames until no more than that many bytes of them are held: those of the streams that were silent longest
   * first, each from its oldest on, so that their floors say what is gone.
   */
  giveUp(bytesMax: number): void {
    for (const stream of this.listStreams().sort((a, b) => a.lastAt - b.lastAt)) {
      if (this.frameBytes <= bytesMax) return;
      this.measure(stream, () => {
        this.givenUp += stream.giveUp(this.frameBytes - bytesMax);
      });
    }
  }

  private measure(stream: StreamLog, change: () => void): void {
    const { held, frameBytes } = stream;
    change();
    this.heldBytes += stream.held - held;
    this.frameBytes += stream.frameBytes - frameBytes;
  }

  trim(now: number): void {
    for (const stream of this.streams.values()) {
      this.measure(stream, () => stream.trim(this.retention, now, this.release));
      if (stream.isFinished && stream.retained === 0 && now - stream.lastAt > 2 * this.retention.ttlMs) this.dropStream(stream);
    }
  }

  private rebuiltBy(stream: StreamLog, { id, fingerprint }: NewEvent): 'no' | 'certainly' | 'maybe' {
    if (id === null) return 'no';
    const owner = this.ids.remembered(id);
    if (owner?.stream !== stream) return fallsBack(stream.newestIds(), id) ? 'maybe' : 'no';
    return stream.fingerprintAt(owner.position) === fingerprint ? 'no' : 'certainly';
  }

  private rememberPast(id: string, cursor: PastCursor): void {
    if (!this.past.delete(id)) this.pastBytes += ENTRY_BYTES + id.length;
    this.past.set(id, cursor);
    if (this.past.size > 2 * this.retention.events) this.forgetOldestPast();
  }

  private forgetOldestPast(): void {
    const [oldest] = this.past.keys();
    if (oldest === undefined) return;
    this.past.delete(oldest);
    this.loseIds(oldest);
    this.pastBytes -= ENTRY_BYTES + oldest.length;
    this.ids.forget(oldest);
  }

  private dropOldestStream(): void {
    const all = [...this.streams.values()].sort((a, b) => Number(b.isFinished) - Number(a.isFinished) || a.lastAt - b.lastAt);
    const oldest = all[0];
    if (oldest !== undefined) this.dropStream(oldest);
  }

  private dropStream(stream: StreamLog): void {
    this.hasForgotten = true;
    this.ids.drop(stream);
    this.streams.delete(stream.name);
    this.heldBytes -= stream.held;
    this.frameBytes -= stream.frameBytes;
    if (this.latest === stream) this.latest = null;
  }
}
