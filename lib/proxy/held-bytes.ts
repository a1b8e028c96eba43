import type { BodyBudget } from '@/lib/proxy/body-budget';

/** Bytes of one unfinished event that are held at most, whatever the route's buffer. */
const HELD_BYTES_MAX = 32 * 1024 * 1024;

/** The bytes since the last boundary of an event stream: the beginning of an event that is not whole yet. */
export class HeldBytes {
  /** The event is larger than what is held; its bytes are lost to everybody but the client that they were written to. */
  isOverflowed = false;
  private bytes = 0;
  private kept: Buffer[] = [];
  private taken = 0;

  /** `budget`: of all streams of the process together. */
  constructor(private readonly budget: BodyBudget) {}

  /** Whether no event is amid. */
  get isEmpty(): boolean {
    return this.bytes === 0;
  }

  get pieces(): readonly Buffer[] {
    return this.kept;
  }

  /** Keeps a copy of `chunk[start, end)`: the rest of the chunk is not held on to. */
  add(chunk: Buffer, start: number, end: number): void {
    if (this.isOverflowed) return;
    this.bytes += end - start;
    this.isOverflowed = this.bytes > HELD_BYTES_MAX || !this.budget.take(end - start);
    if (this.isOverflowed) this.release();
    else {
      this.taken += end - start;
      this.kept.push(Buffer.from(chunk.subarray(start, end)));
    }
  }

  /** The event is whole, or will never be. */
  clear(): void {
    if (this.taken > 0) this.release();
    this.bytes = 0;
    this.isOverflowed = false;
  }

  private release(): void {
    this.kept = [];
    this.budget.give(this.taken);
    this.taken = 0;
  }
}
