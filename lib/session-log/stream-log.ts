import type { PositionRange } from '@/lib/base/ranges';
import type { LogFacts } from '@/lib/resume/types';

/** How much of a stream is kept. Whatever limit is reached first moves the floor. */
export interface Retention {
  readonly events: number;
  readonly bytes: number;
  readonly ttlMs: number;
}

export interface NewEvent {
  /** `id:` as it went over the wire; null when the client got none. */
  readonly id: string | null;
  readonly fingerprint: number;
  readonly bytes: number;
  /** The block's own bytes where this process replays them; null in an index. */
  readonly frame: Uint8Array | null;
  /** Whether it answers the request whose stream this is. */
  readonly isAnswer: boolean;
  /** Whether the id is ours: the server sends none, so no server can resume from it. */
  readonly isOwnId: boolean;
  /** Epoch milliseconds. */
  readonly at: number;
}

export interface LoggedEvent extends Omit<NewEvent, 'frame'> {
  readonly position: number;
  /** Null once evicted. */
  frame: Uint8Array | null;
}

/**
 * The order in which one stream's events were relayed. Positions are ours, from 1, without gaps; ids are labels.
 * Entries below the floor keep their id, so that an evicted cursor is told from one that was never issued, until
 * they fall out of a second window of the same size.
 */
export class StreamLog {
  private entries: LoggedEvent[] = [];
  private floorIndex = 0;
  private headPosition: number;
  private retainedBytes = 0;
  private readonly holes = new Set<number>();
  private readonly reused = new Set<number>();
  private coveredFrom: number | null = null;
  /** Whether the request of this stream was answered, or the stream otherwise ended for good. */
  isFinished = false;
  /** Process that reads this stream from the upstream; null when none is known to. */
  reader: string | null = null;
  /** Head when the last client went away, as far as this process saw it: the cursor that it will come back with. */
  leftAt: number | null = null;
  lastAt: number;

  constructor(
    readonly name: string,
    /** JSON text of the id of the request that this stream answers; null for the standalone stream. */
    readonly requestId: string | null,
    openedAt: number,
    firstPosition = 1,
  ) {
    this.lastAt = openedAt;
    this.headPosition = firstPosition - 1;
    if (firstPosition > 1) this.coveredFrom = firstPosition;
  }

  get head(): number {
    return this.headPosition;
  }

  get floor(): number {
    return this.entries[this.floorIndex]?.position ?? this.headPosition + 1;
  }

  get retained(): number {
    return this.entries.length - this.floorIndex;
  }

  get bytes(): number {
    return this.retainedBytes;
  }

  /** Whether a pending call waits for this stream. */
  get isPending(): boolean {
    return this.requestId !== null && !this.isFinished;
  }

  append(event: NewEvent): LoggedEvent {
    const { id, fingerprint, bytes, frame, isAnswer, isOwnId, at } = event;
    const entry: LoggedEvent = { id, fingerprint, bytes, frame, isAnswer, isOwnId, at, position: ++this.headPosition };
    this.entries.push(entry);
    this.retainedBytes += event.bytes;
    this.lastAt = event.at;
    if (event.isAnswer) this.isFinished = true;
    return entry;
  }

  /** Marks that an unknown number of events after the head never reached this log: one position stands for them. */
  appendLoss(at: number): void {
    const { position } = this.append({ id: null, fingerprint: 0, bytes: 0, frame: null, isAnswer: false, isOwnId: false, at });
    this.holes.add(position);
  }

  markHole(position: number): void {
    this.holes.add(position);
  }

  markReused(position: number): void {
    this.reused.add(position);
  }

  /** Applies the limits; answers the ids that are no longer remembered at all. */
  trim(retention: Retention, now: number): string[] {
    while (this.retained > 0 && this.isOverLimit(retention, now)) this.raiseFloor();
    const forgotten: string[] = [];
    const surplus = this.floorIndex - Math.max(1, retention.events);
    if (surplus > 0 && (surplus >= 64 || surplus >= this.entries.length / 4)) this.forget(surplus, forgotten);
    return forgotten;
  }

  /** Everything retained is dropped: the floor moves above the head. */
  evictAll(): void {
    while (this.retained > 0) this.raiseFloor();
  }

  /** Retained and lost positions after `position`, in order. */
  after(position: number): readonly LoggedEvent[] {
    const first = this.entries[0];
    if (first === undefined) return [];
    return this.entries.slice(Math.max(this.floorIndex, position + 1 - first.position));
  }

  at(position: number): LoggedEvent | null {
    const first = this.entries[0];
    return first === undefined ? null : (this.entries[position - first.position] ?? null);
  }

  /** Every id that is still remembered, evicted ones included. */
  rememberedIds(): readonly LoggedEvent[] {
    return this.entries;
  }

  facts(): LogFacts {
    const { floor, headPosition } = this;
    return {
      floor: BigInt(floor),
      head: BigInt(headPosition),
      holes: rangesOf(this.holes, floor),
      reused: rangesOf(this.reused, floor),
      coveredFrom: this.coveredFrom === null ? null : BigInt(this.coveredFrom),
    };
  }

  private isOverLimit(retention: Retention, now: number): boolean {
    if (this.retained > retention.events || this.retainedBytes > retention.bytes) return true;
    const oldest = this.entries[this.floorIndex];
    return oldest !== undefined && now - oldest.at > retention.ttlMs;
  }

  private raiseFloor(): void {
    const evicted = this.entries[this.floorIndex];
    if (evicted === undefined) return;
    evicted.frame = null;
    this.retainedBytes -= evicted.bytes;
    this.holes.delete(evicted.position);
    this.floorIndex++;
  }

  private forget(count: number, forgotten: string[]): void {
    for (const entry of this.entries.splice(0, count)) {
      this.reused.delete(entry.position);
      if (entry.id !== null) forgotten.push(entry.id);
    }
    this.floorIndex -= count;
  }
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
