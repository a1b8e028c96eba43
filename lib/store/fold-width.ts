/** Pending increments of one fold. */
const WIDTH_MAX = 400;
/** Full folds in time before the next takes twice as much: what took too long is most likely still there. */
const FOLDS_BEFORE_WIDER = 4;

/** How many pending increments one fold takes: half as many after it ran out of time, slowly more again. */
export class FoldWidth {
  #count = WIDTH_MAX;
  #inTime = 0;

  get count(): number {
    return this.#count;
  }

  /** Notes a fold in time. One that was not full says nothing about a wider one. */
  folded(taken: number): void {
    if (taken < this.#count) return;
    this.#inTime++;
    if (this.#inTime < FOLDS_BEFORE_WIDER) return;
    this.#inTime = 0;
    this.#count = Math.min(this.#count * 2, WIDTH_MAX);
  }

  /** Notes a fold that ran out of time with so many. */
  ranOut(taken: number): void {
    this.#inTime = 0;
    this.#count = Math.max(1, Math.floor(Math.min(taken, this.#count) / 2));
  }
}
