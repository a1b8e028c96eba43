const SEGMENT_SLOTS_MIN = 64;
/** All segments together: 1 MiB of a session, some 190,000 ids. */
const SLOTS_MAX = 256 * 1024;
/** Share of a segment that is filled before the next one is begun. */
const LOAD_MAX = 0.75;
const RUNS_MAX = 16;
const BYTES_PER_SLOT = 4;

/** Longer is later, then by bytes: the order in which counters, zero-padded or not, and time stamps are issued. */
export const isAfter = (id: string, other: string): boolean => id.length > other.length || (id.length === other.length && id > other);

/** Ids that one stream alone issued in ascending order: each of them lies between the two. */
interface Run {
  readonly first: string;
  readonly last: string;
}

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
    if (this.runs.some(({ first, last }) => !isAfter(first, id) && !isAfter(id, last))) return true;
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

  /** Adds an ascending run. Where there are too many, the two that came first become one with all that lies between. */
  addRun(first: string, last: string): void {
    this.runs.push({ first, last });
    const [one, two, ...rest] = this.runs;
    if (this.runs.length > RUNS_MAX && one !== undefined && two !== undefined)
      this.runs = [
        { first: isAfter(one.first, two.first) ? two.first : one.first, last: isAfter(one.last, two.last) ? one.last : two.last },
        ...rest,
      ];
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
