const SEGMENT_SLOTS_MIN = 64;
/** All segments together: 1 MiB of a session, some 190,000 ids. */
const SLOTS_MAX = 256 * 1024;
/** Share of a segment that is filled before the next one is begun. */
const LOAD_MAX = 0.75;
const RUNS_MAX = 16;
const BYTES_PER_SLOT = 4;

/** Longer is later, then by bytes: the order in which counters, zero-padded or not, and time stamps are issued. */
export const isAfter = (id: string, other: string): boolean => id.length > other.length || (id.length === other.length && id > other);

/** Whether two ids are one text with a number after it: a count may have issued all that lies between them. */
export function isCountedWith(id: string, other: string): boolean {
  const at = numberAt(id);
  return at < id.length && at === numberAt(other) && id.slice(0, at) === other.slice(0, at);
}

/** Where the number begins that an id ends in; its length where there is none. */
function numberAt(id: string): number {
  let at = id.length;
  while (at > 0 && isDigit(id.charCodeAt(at - 1))) at--;
  return at;
}

const isDigit = (unit: number): boolean => unit >= 0x30 && unit <= 0x39;

/**
 * Counted ids that one stream alone issued in ascending order: each of them lies between the two. Of ids that are no
 * count, such as UUIDs, two say nothing about any other.
 */
export interface Run {
  readonly first: string;
  readonly last: string;
}

export const isInRun = (id: string, { first, last }: Run): boolean => !isAfter(first, id) && !isAfter(id, last) && isCountedWith(id, first);

/**
 * The ids that a session issued and that nothing else remembers any more. It may take an id for forgotten that never
 * was, which only ever refuses; it never misses one unless it `isFull`, and then says so.
 */
export class ForgottenIds {
  /** Ids were forgotten beyond what is kept: of no id that is not greater than all before it is the history known. */
  isFull = false;
  private runs: Run[] = [];
  private segments: Uint32Array[] = [];
  private filled = 0;
  private slots = 0;

  /** Bytes of memory that it holds, about. */
  get held(): number {
    return BYTES_PER_SLOT * this.slots;
  }

  has(id: string): boolean {
    if (this.runs.some((run) => isInRun(id, run))) return true;
    if (this.segments.length === 0) return false;
    const { tag, place } = hashOf(id);
    return this.segments.some((segment) => segment[slotOf(segment, tag, place)] === tag);
  }

  add(id: string): void {
    const segment = this.roomy();
    if (segment === null) {
      this.isFull = true;
      return;
    }
    const { tag, place } = hashOf(id);
    const slot = slotOf(segment, tag, place);
    if (segment[slot] === tag) return;
    segment[slot] = tag;
    this.filled++;
  }

  /** Adds a counted run. One that goes on with the count of an earlier one becomes one with it and all that lies between. */
  addRun(run: Run): void {
    const at = this.runs.findIndex(({ first }) => isCountedWith(first, run.first));
    const known = this.runs[at];
    if (known !== undefined) this.runs[at] = { first: lesser(known.first, run.first), last: greater(known.last, run.last) };
    else if (this.runs.length < RUNS_MAX) this.runs.push(run);
    else this.isFull = true;
  }

  clear(): void {
    this.isFull = false;
    this.runs = [];
    this.segments = [];
    this.filled = 0;
    this.slots = 0;
  }

  /** The segment that is filled now; each is twice as large as the one before, so that nothing is ever moved. */
  private roomy(): Uint32Array | null {
    const newest = this.segments.at(-1);
    if (newest !== undefined && this.filled < LOAD_MAX * newest.length) return newest;
    const slots = newest === undefined ? SEGMENT_SLOTS_MIN : 2 * newest.length;
    if (this.slots + slots > SLOTS_MAX) return null;
    const segment = new Uint32Array(slots);
    this.segments.push(segment);
    this.slots += slots;
    this.filled = 0;
    return segment;
  }
}

const lesser = (id: string, other: string): string => (isAfter(id, other) ? other : id);
const greater = (id: string, other: string): string => (isAfter(id, other) ? id : other);

/** The slot that holds a tag, or the empty one where it would stand. */
function slotOf(segment: Uint32Array, tag: number, place: number): number {
  const mask = segment.length - 1;
  let slot = place & mask;
  for (let held = segment[slot]; held !== 0 && held !== tag; held = segment[slot]) slot = (slot + 1) & mask;
  return slot;
}

/** Two 32-bit hashes of an id: what is kept of it, which is never 0, and where. */
function hashOf(id: string): { readonly tag: number; readonly place: number } {
  let a = 0x811c9dc5;
  let b = id.length;
  for (let i = 0; i < id.length; i++) {
    const unit = id.charCodeAt(i);
    a = Math.imul(a ^ unit, 0x01000193);
    b = Math.imul(b ^ unit, 0x5bd1e995) ^ (b >>> 15);
  }
  a = Math.imul(a ^ (a >>> 16), 0x85ebca6b);
  b = Math.imul(b ^ (b >>> 13), 0xc2b2ae35);
  return { tag: (a ^ (a >>> 15)) >>> 0 || 1, place: (b ^ (b >>> 16)) >>> 0 };
}
