import type { PositionRange } from '../verdict/facts.js';
import { StreamCall } from './stream-call.js';

/**
 * The book of one stream as it is watched from outside: positions in the order of storing, what is known to be
 * evicted, what is known to be delivered. Positions count from 1.
 */
export class StreamLedger {
  #head = 0;
  #floor = 1;
  /** Ids from `#floor` on; kept only where evictions are told, since only then a floor can move. */
  #ids: string[] = [];
  /** Positions above the floor that are evicted. */
  readonly #holes = new Set<number>();
  readonly #reused = new Set<number>();
  #deliveredUpTo = 0;
  readonly call = new StreamCall();

  constructor(
    readonly stream: string,
    readonly seesEvictions: boolean,
    private readonly maxIds: number,
  ) {}

  get head(): number {
    return this.#head;
  }

  /** Lowest retained position; undefined where evictions cannot be seen. */
  get floor(): number | undefined {
    return this.seesEvictions ? this.#floor : undefined;
  }

  /** Highest position that was written to a connection. */
  get deliveredUpTo(): number {
    return this.#deliveredUpTo;
  }

  /** Positions from the floor to the head. */
  get size(): number {
    return this.#head - this.#floor + 1;
  }

  get floorId(): string | null {
    return this.#ids[0] ?? null;
  }

  append(eventId: string): number {
    this.#head += 1;
    if (this.seesEvictions) {
      this.#ids.push(eventId);
      // A store that keeps more than this is not bounded; the front is then forgotten as if evicted, the safe way to err.
      while (this.#ids.length > this.maxIds) this.evict(this.#floor);
    }
    return this.#head;
  }

  delivered(position: number): void {
    if (position > this.#deliveredUpTo) this.#deliveredUpTo = position;
  }

  reuse(position: number): void {
    if (this.#reused.size < this.maxIds) this.#reused.add(position);
  }

  /** Marks a position as no longer retained; the floor moves up over everything that is gone at its front. */
  evict(position: number): void {
    if (position < this.#floor || position > this.#head) return;
    this.#holes.add(position);
    while (this.#holes.delete(this.#floor)) {
      this.#floor += 1;
      this.#ids.shift();
    }
  }

  /** Id at a retained position, while it is remembered. */
  idAt(position: number): string | null {
    return this.#ids[position - this.#floor] ?? null;
  }

  isHole(position: number): boolean {
    return this.#holes.has(position);
  }

  /** Ids from the floor on that are not known to be evicted. */
  retained(): string[] {
    return this.#ids.filter((_, index) => !this.#holes.has(this.#floor + index));
  }

  get holes(): readonly PositionRange[] {
    return toRanges(this.#holes);
  }

  get reused(): readonly PositionRange[] {
    return toRanges(this.#reused);
  }
}

function toRanges(positions: ReadonlySet<number>): PositionRange[] {
  const ranges: PositionRange[] = [];
  for (const position of [...positions].sort((a, b) => a - b)) {
    const previous = ranges.at(-1);
    if (previous !== undefined && previous.last + 1n === BigInt(position)) {
      ranges[ranges.length - 1] = { first: previous.first, last: BigInt(position) };
    } else ranges.push({ first: BigInt(position), last: BigInt(position) });
  }
  return ranges;
}
