const BYTES_AT_FIRST = 2048;
const NOTHING = Buffer.alloc(0);

/**
 * Runs of bytes, first in, first out, in one piece of memory that is used again and again. A run is never cut, and
 * its bytes stay where they are until it is released or the ring grows.
 */
export class ByteRing {
  #buffer: Buffer = NOTHING;
  /** Where the oldest run begins, and where the newest ends. */
  #head = 0;
  #tail = 0;
  /** Whether the newest run lies before the oldest one. */
  #isWrapped = false;

  get capacity(): number {
    return this.#buffer.length;
  }

  get buffer(): Buffer {
    return this.#buffer;
  }

  /** Where `size` bytes in a row are free; -1 where nowhere. */
  place(size: number): number {
    const { length } = this.#buffer;
    if (this.#isWrapped) return this.#head - this.#tail >= size ? this.#tail : -1;
    if (length - this.#tail >= size) return this.#tail;
    return this.#head >= size ? 0 : -1;
  }

  /** Takes the bytes from a place that `place` gave, up to `end`, as the newest run. It must not be empty. */
  take(start: number, end: number): void {
    if (start < this.#tail) this.#isWrapped = true;
    this.#tail = end;
  }

  /** Releases the oldest run, now that another one, which begins at `next`, is the oldest. */
  release(next: number): void {
    if (next < this.#head) this.#isWrapped = false;
    this.#head = next;
  }

  /** Releases every run. */
  clear(): void {
    this.#head = 0;
    this.#tail = 0;
    this.#isWrapped = false;
  }

  /** Gives the memory back too. */
  drop(): void {
    this.clear();
    this.#buffer = NOTHING;
  }

  /** Doubles until `size` more bytes fit. Answers where a run lies now that began at `start` before. */
  grow(size: number): (start: number) => number {
    const before = this.#buffer;
    const [head, tail, end] = [this.#head, this.#tail, this.#isWrapped ? before.length : this.#tail];
    let length = Math.max(BYTES_AT_FIRST, before.length * 2);
    while (length < before.length + size) length *= 2;
    const after = Buffer.allocUnsafeSlow(length);
    before.copy(after, 0, head, end);
    if (this.#isWrapped) before.copy(after, end - head, 0, tail);
    this.#tail = end - head + (this.#isWrapped ? tail : 0);
    this.#head = 0;
    this.#isWrapped = false;
    this.#buffer = after;
    return (start) => (start >= head ? start - head : end - head + start);
  }
}
