import { FrameSlabs } from '@/lib/session-log/frame-slabs';

const CAPACITY_MIN = 16;
const NUMBERS = 3;
const IS_ANSWER = 1;
const IS_OWN_ID = 2;

export interface NewEvent {
  /** `id:` as it went over the wire; null when the client got none. */
  readonly id: string | null;
  readonly fingerprint: number;
  readonly bytes: number;
  /** The block's own bytes where this process replays them, copied before `append` returns; null in an index. */
  readonly frame: Uint8Array | null;
  /** Whether it answers the request whose stream this is. */
  readonly isAnswer: boolean;
  /** Whether the id is ours: the server sends none, so no server can resume from it. */
  readonly isOwnId: boolean;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** Frames of a ring, once it holds any. */
interface Frames {
  readonly slabs: FrameSlabs;
  slab: (Uint8Array | null)[];
  offset: Uint32Array;
  length: Uint32Array;
}

/**
 * The newest events of a stream, oldest first, in columns: what is kept of an event is its id and a few numbers, no
 * object. Grows as it fills; its owner decides what leaves.
 */
export class EventRing {
  private ids: (string | null)[] = new Array<string | null>(CAPACITY_MIN).fill(null);
  /** Fingerprint, instant and size of each event, side by side. */
  private numbers = new Float64Array(NUMBERS * CAPACITY_MIN);
  private flags = new Uint8Array(CAPACITY_MIN);
  private frames: Frames | null = null;
  private mask = CAPACITY_MIN - 1;
  private start = 0;
  private count = 0;

  get length(): number {
    return this.count;
  }

  push(event: NewEvent): void {
    if (this.count > this.mask) this.grow();
    const slot = (this.start + this.count++) & this.mask;
    this.ids[slot] = event.id;
    const numbers = NUMBERS * slot;
    this.numbers[numbers] = event.fingerprint;
    this.numbers[numbers + 1] = event.at;
    this.numbers[numbers + 2] = event.bytes;
    this.flags[slot] = (event.isAnswer ? IS_ANSWER : 0) | (event.isOwnId ? IS_OWN_ID : 0);
    if (event.frame !== null) this.placeFrame(slot, event.frame);
  }

  /** Drops the oldest event; answers its id. */
  shift(): string | null {
    const slot = this.start;
    const id = this.ids[slot] ?? null;
    this.ids[slot] = null;
    if (this.frames !== null) this.frames.slab[slot] = null;
    this.start = (slot + 1) & this.mask;
    this.count--;
    return id;
  }

  dropFrame(index: number): void {
    if (this.frames !== null) this.frames.slab[this.slot(index)] = null;
  }

  id(index: number): string | null {
    return this.ids[this.slot(index)] ?? null;
  }

  fingerprint(index: number): number {
    return this.numbers[NUMBERS * this.slot(index)] ?? 0;
  }

  at(index: number): number {
    return this.numbers[NUMBERS * this.slot(index) + 1] ?? 0;
  }

  bytes(index: number): number {
    return this.numbers[NUMBERS * this.slot(index) + 2] ?? 0;
  }

  isAnswer(index: number): boolean {
    return ((this.flags[this.slot(index)] ?? 0) & IS_ANSWER) !== 0;
  }

  isOwnId(index: number): boolean {
    return ((this.flags[this.slot(index)] ?? 0) & IS_OWN_ID) !== 0;
  }

  /** Bytes of the frame that is kept of an event. */
  frameBytes(index: number): number {
    const { frames } = this;
    const slot = this.slot(index);
    return frames === null || frames.slab[slot] === null ? 0 : (frames.length[slot] ?? 0);
  }

  /** A view of the frame, valid as long as anybody holds it; null where none is kept. */
  frame(index: number): Uint8Array | null {
    const { frames } = this;
    const slot = this.slot(index);
    const slab = frames?.slab[slot] ?? null;
    if (frames === null || slab === null) return null;
    const offset = frames.offset[slot] ?? 0;
    return slab.subarray(offset, offset + (frames.length[slot] ?? 0));
  }

  private slot(index: number): number {
    return (this.start + index) & this.mask;
  }

  private placeFrame(slot: number, frame: Uint8Array): void {
    this.frames ??= emptyFrames(this.mask + 1);
    const { slabs, slab, offset, length } = this.frames;
    slab[slot] = slabs.place(frame);
    offset[slot] = slabs.offset;
    length[slot] = frame.length;
  }

  private grow(): void {
    const { start, mask, frames } = this;
    const capacity = 2 * (mask + 1);
    const unrolled = <T>(column: readonly T[]): T[] => [...column.slice(start), ...column.slice(0, start)];
    const spare = new Array<null>(mask + 1).fill(null);
    this.ids = unrolled(this.ids).concat(spare);
    this.numbers = into(new Float64Array(NUMBERS * capacity), this.numbers, NUMBERS * start);
    this.flags = into(new Uint8Array(capacity), this.flags, start);
    if (frames !== null) {
      frames.slab = unrolled(frames.slab).concat(spare);
      frames.offset = into(new Uint32Array(capacity), frames.offset, start);
      frames.length = into(new Uint32Array(capacity), frames.length, start);
    }
    this.mask = capacity - 1;
    this.start = 0;
  }
}

function emptyFrames(capacity: number): Frames {
  return {
    slabs: new FrameSlabs(),
    slab: new Array<Uint8Array | null>(capacity).fill(null),
    offset: new Uint32Array(capacity),
    length: new Uint32Array(capacity),
  };
}

/** Copies a full ring that begins at `start` to the beginning of a larger column. */
function into<T extends Float64Array | Uint32Array | Uint8Array>(target: T, column: T, start: number): T {
  target.set(column.subarray(start));
  target.set(column.subarray(0, start), column.length - start);
  return target;
}
