/** Which record gives way when the queue is full. */
export type Overflow = 'drop_newest' | 'drop_oldest';

/** Places of successive records where they are kept, in order; null for one that is not. Empty where nothing is kept. */
export type Places = readonly (number | null)[];

/** Keeps what is queued elsewhere too, so that it outlives the process. */
export interface QueueKeeper {
  /** Place of the record among those that are kept; null where it is not. Each is the one after the place before it. */
  add(line: string): number | null;
  done(places: Places): void;
}

export interface Taken {
  readonly lines: string[];
  readonly places: Places;
}

/** A bounded queue of records in their JSON text, in order. */
export class RecordQueue {
  #lines: string[] = [];
  /** Places of the same records with the keeper; empty where there is none. */
  #places: (number | null)[] = [];
  #start = 0;
  #bytes = 0;
  /** Records that were given up right before the oldest one here, and right after the newest. */
  #missingAtFront = 0;
  #missingAtEnd = 0;

  constructor(
    readonly maxRecords: number,
    readonly maxBytes: number,
    readonly overflow: Overflow,
    private readonly keeper: QueueKeeper | null = null,
  ) {}

  get size(): number {
    return this.#lines.length - this.#start;
  }

  /** Takes the record, or not; answers how many records were given up for that. */
  push(line: string): number {
    let dropped = 0;
    // For a record that no queue could hold nothing gives way.
    const makesRoom = this.overflow === 'drop_oldest' && line.length <= this.maxBytes;
    while (makesRoom && this.#isFull(line) && this.size > 0) {
      const place = this.#shift();
      this.keeper?.done([place]);
      this.#missingAtFront += 1;
      dropped += 1;
    }
    if (this.#isFull(line)) {
      this.#missingAtEnd += 1;
      return dropped + 1;
    }
    const told = withMissing(line, this.#missingAtEnd);
    this.#missingAtEnd = 0;
    this.#lines.push(told);
    if (this.keeper !== null) this.#places.push(this.keeper.add(told));
    this.#bytes += told.length;
    return dropped;
  }

  /** Says that records which were taken out before are given up, so that the next one taken tells of it. */
  lost(count: number): void {
    this.#missingAtFront += count;
  }

  /** Removes and returns the oldest records within both bounds; at least one when there is one. */
  take(maxRecords: number, maxBytes: number): Taken {
    const lines: string[] = [];
    let bytes = 0;
    const places: (number | null)[] = [];
    while (lines.length < maxRecords) {
      const line = this.#lines[this.#start];
      if (line === undefined || (lines.length > 0 && bytes + line.length > maxBytes)) break;
      lines.push(lines.length === 0 ? withMissing(line, this.#missingAtFront) : line);
      bytes += line.length;
      const place = this.#shift();
      if (this.keeper !== null) places.push(place);
    }
    if (lines.length > 0) this.#missingAtFront = 0;
    return { lines, places };
  }

  #isFull(line: string): boolean {
    return this.size >= this.maxRecords || this.#bytes + line.length > this.maxBytes;
  }

  /** Takes the oldest record off and answers its place with the keeper. */
  #shift(): number | null {
    const place = this.#places[this.#start] ?? null;
    this.#bytes -= this.#lines[this.#start]?.length ?? 0;
    this.#start += 1;
    if (this.#start * 2 > this.#lines.length) {
      this.#lines = this.#lines.slice(this.#start);
      this.#places = this.#places.slice(this.#start);
      this.#start = 0;
    }
    return place;
  }
}

/** Adds to a record how many were given up right before it; to what it may already say of that. */
function withMissing(line: string, count: number): string {
  if (count === 0) return line;
  const [, before = '', said = ''] = /^(.*),"dropped_before":(\d+)}$/.exec(line) ?? [];
  return said === '' ? `${line.slice(0, -1)},"dropped_before":${count}}` : `${before},"dropped_before":${Number(said) + count}}`;
}
