import type { PositionRange } from '@/lib/base/ranges';
import type { LogFacts } from '@/lib/resume/types';
import { EventRing, type NewEvent } from '@/lib/session-log/event-ring';
import { isAfter } from '@/lib/session-log/forgotten-ids';
import type { StreamNumbering } from '@/lib/session-log/numbering';
import { idsOf, pendingText } from '@/lib/session-log/pending-ids';

/** How much of a stream is kept. Whatever limit is reached first moves the floor. */
export interface Retention {
  readonly events: number;
  readonly bytes: number;
  readonly ttlMs: number;
  /** Bytes of frames that are held of a whole session; absent: four times those of a stream. */
  readonly sessionBytes?: number;
}

/** What an event costs in memory beside its frame and the text of its id, as long as it is remembered. */
export const ENTRY_BYTES = 96;

const NUMBER = /^[0-9]+$/;
/** Entries at the head that are looked at for ids; some have none. */
const NEWEST = 8;

/** One event as the log holds it; `frame` is null where none is kept, or no longer. */
export interface LoggedEvent extends NewEvent {
  readonly position: number;
}

/** Events after a position are no longer retained: what is left after it is not all that a client there would miss. */
export class EventsGone extends RangeError {
  readonly code = 'events_gone';
}

/** Told the id of every event that is no longer remembered at all. */
type Forget = (id: string, stream: StreamLog) => void;

/**
 * The order in which one stream's events were relayed. Positions are ours, from 1, without gaps; ids are labels.
 * Entries below the floor keep their id, so that an evicted cursor is told from one that was never issued, until
 * they fall out of a second window of the same size.
 */
export class StreamLog {
  private readonly ring = new EventRing();
  /** Position of the oldest event in the ring. */
  private firstPosition = 1;
  private floorIndex = 0;
  private retainedBytes = 0;
  /** Bytes of the frames that are kept. */
  frameBytes = 0;
  private idBytes = 0;
  private readonly holes = new Set<number>();
  private readonly reused = new Set<number>();
  /** Position of the latest loss; 0 without one. */
  private lossAt = 0;
  /** Whether the event at the head has an id. */
  private hasNamedHead = false;
  /** Requests of a batch that were answered while others wait. */
  private readonly answered = new Set<string>();
  /** Whether the request of this stream was answered, or the stream otherwise ended for good. */
  isFinished = false;
  /** Process that reads this stream from the upstream; null when none is known to. */
  reader: string | null = null;
  /** Head when the last client went away, as far as this process saw it: the cursor that it will come back with. */
  leftAt: number | null = null;
  lastAt: number;

  constructor(
    readonly name: string,
    /** The requests that this stream answers, see `pendingText`; null for the standalone stream. */
    readonly requestId: string | null,
    openedAt: number,
  ) {
    this.lastAt = openedAt;
  }

  /** A stream whose events so far are not held here, and which counts on from them. */
  static countingFrom(numbering: StreamNumbering): StreamLog {
    const { name, requestId, head, endsInLoss, hasNamedHead, isFinished, reader, answered, lastAt } = numbering;
    const stream = new StreamLog(name, requestId, lastAt);
    stream.firstPosition = head + 1;
    stream.lossAt = endsInLoss ? head : 0;
    stream.hasNamedHead = hasNamedHead;
    stream.isFinished = isFinished;
    stream.reader = reader;
    stream.noteAnswered(answered);
    return stream;
  }

  numbering(): StreamNumbering {
    const { name, requestId, head, endsInLoss, hasNamedHead, isFinished, reader, lastAt } = this;
    return { name, requestId, head, endsInLoss, hasNamedHead, isFinished, reader, answered: [...this.answered], lastAt };
  }

  get head(): number {
    return this.firstPosition + this.ring.length - 1;
  }

  /** Whether ids that it issued are no longer remembered at all. */
  get hasForgotten(): boolean {
    return this.firstPosition > 1;
  }

  get floor(): number {
    return this.firstPosition + this.floorIndex;
  }

  get retained(): number {
    return this.ring.length - this.floorIndex;
  }

  get bytes(): number {
    return this.retainedBytes;
  }

  /** Bytes of memory that it holds, about. */
  get held(): number {
    return this.frameBytes + this.idBytes + ENTRY_BYTES * this.ring.length;
  }

  /** Whether a pending call waits for this stream. */
  get isPending(): boolean {
    return this.requestId !== null && !this.isFinished;
  }

  /** The requests that still wait for this stream, see `pendingText`; null when none does. */
  get pendingRequestId(): string | null {
    if (!this.isPending || this.answered.size === 0) return this.isPending ? this.requestId : null;
    return pendingText(idsOf(this.requestId).filter((id) => !this.answered.has(id)));
  }

  noteAnswered(ids: readonly string[]): void {
    for (const id of ids) this.answered.add(id);
  }

  /** Logs an event; answers its position. */
  append(event: NewEvent): number {
    this.ring.push(event);
    this.retainedBytes += event.bytes;
    this.hasNamedHead = event.id !== null;
    if (event.id !== null) this.idBytes += event.id.length;
    if (event.frame !== null) this.frameBytes += event.frame.length;
    this.lastAt = event.at;
    if (event.isAnswer) this.isFinished = true;
    return this.head;
  }

  /** Marks that an unknown number of events after the head never reached this log: one position stands for them. */
  appendLoss(at: number): void {
    // A loss that nothing followed stands for this one too, also where it is retained no longer.
    if (this.endsInLoss) return;
    this.lossAt = this.append({ id: null, fingerprint: 0, bytes: 0, frame: null, isAnswer: false, isOwnId: false, at });
    this.holes.add(this.lossAt);
  }

  markHole(position: number): void {
    if (position >= this.firstPosition) this.holes.add(position);
    // An event that was not kept is no loss where it has an id.
    if (position === this.head && !this.hasNamedHead) this.lossAt = position;
  }

  private get endsInLoss(): boolean {
    return this.head > 0 && this.lossAt === this.head;
  }

  markReused(position: number): void {
    this.reused.add(position);
  }

  /** Applies the limits. */
  trim(retention: Retention, now: number, forget: Forget): void {
    while (this.retained > 0 && this.isOverLimit(retention, now)) this.raiseFloor();
    const window = Math.max(1, retention.events);
    while (this.floorIndex > window) this.forgetOldest(forget);
  }

  /** Gives up the oldest events until so many bytes are freed; the floor says so. Answers how many events went. */
  giveUp(bytes: number): number {
    const enough = this.frameBytes - bytes;
    let events = 0;
    while (this.retained > 0 && this.frameBytes > 0 && this.frameBytes > enough) {
      this.raiseFloor();
      events++;
    }
    return events;
  }

  /**
   * Retained and lost positions after `position`, in order: all of them, so that nobody can be served a gap.
   *
   * @throws EventsGone where some are below the floor
   */
  after(position: number): readonly LoggedEvent[] {
    if (position < this.floor - 1) throw new EventsGone(`events after ${position} are gone: the floor is ${this.floor}`);
    const events: LoggedEvent[] = [];
    for (let index = position + 1 - this.firstPosition; index < this.ring.length; index++) events.push(this.read(index));
    return events;
  }

  at(position: number): LoggedEvent | null {
    const index = position - this.firstPosition;
    return index >= 0 && index < this.ring.length ? this.read(index) : null;
  }

  /** Fingerprint of the event at a position; null when it is no longer remembered. */
  fingerprintAt(position: number): number | null {
    const index = position - this.firstPosition;
    return index >= 0 && index < this.ring.length ? this.ring.fingerprint(index) : null;
  }

  /** Position of the newest remembered event with the given id; null without one. Looks at every event. */
  find(id: string): number | null {
    for (let index = this.ring.length - 1; index >= 0; index--) if (this.ring.id(index) === id) return this.firstPosition + index;
    return null;
  }

  /** The two newest ids, latest first. */
  newestIds(): string[] {
    const { ring } = this;
    const newest: string[] = [];
    for (let index = ring.length - 1; index >= 0 && newest.length < 2 && ring.length - index <= NEWEST; index--) {
      const one = ring.id(index);
      if (one !== null) newest.push(one);
    }
    return newest;
  }

  /** Every id that is still remembered, evicted ones included, oldest first. */
  forEachId(visit: (id: string, position: number) => void): void {
    for (let index = 0; index < this.ring.length; index++) {
      const id = this.ring.id(index);
      if (id !== null) visit(id, this.firstPosition + index);
    }
  }

  facts(): LogFacts {
    const { floor, head } = this;
    return {
      floor: BigInt(floor),
      head: BigInt(head),
      holes: rangesOf(this.holes, floor),
      reused: rangesOf(this.reused, floor),
      coveredFrom: null,
    };
  }

  private read(index: number): LoggedEvent {
    const { ring } = this;
    return {
      id: ring.id(index),
      fingerprint: ring.fingerprint(index),
      bytes: ring.bytes(index),
      frame: ring.frame(index),
      isAnswer: ring.isAnswer(index),
      isOwnId: ring.isOwnId(index),
      at: ring.at(index),
      position: this.firstPosition + index,
    };
  }

  private isOverLimit(retention: Retention, now: number): boolean {
    if (this.retained > retention.events || this.retainedBytes > retention.bytes) return true;
    return now - this.ring.at(this.floorIndex) > retention.ttlMs;
  }

  private raiseFloor(): void {
    this.frameBytes -= this.ring.frameBytes(this.floorIndex);
    this.ring.dropFrame(this.floorIndex);
    this.retainedBytes -= this.ring.bytes(this.floorIndex);
    if (this.holes.size > 0) this.holes.delete(this.floor);
    this.floorIndex++;
  }

  private forgetOldest(forget: Forget): void {
    if (this.reused.size > 0) this.reused.delete(this.firstPosition);
    const id = this.ring.shift();
    this.firstPosition++;
    this.floorIndex--;
    if (id === null) return;
    this.idBytes -= id.length;
    forget(id, this);
  }
}

/** Whether the newest ids of a stream, latest first, are ascending numbers and the given one is a lower number: the count may have begun anew. */
export function fallsBack([last, before]: readonly string[], id: string): boolean {
  if (last === undefined || before === undefined || !isAfter(last, id)) return false;
  return isAfter(last, before) && NUMBER.test(id) && NUMBER.test(last) && NUMBER.test(before);
}

function rangesOf(positions: ReadonlySet<number>, floor: number): PositionRange[] {
  if (positions.size === 0) return [];
  const ranges: PositionRange[] = [];
  for (const position of [...positions].filter((one) => one >= floor - 1).sort((a, b) => a - b)) {
    const at = BigInt(position);
    const previous = ranges.at(-1);
    if (previous !== undefined && previous.last + 1n === at) ranges[ranges.length - 1] = { first: previous.first, last: at };
    else ranges.push({ first: at, last: at });
  }
  return ranges;
}
