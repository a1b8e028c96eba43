import type { Spool } from '../spool/spool.js';
import type { Teller } from './teller.js';

const TOLD_AGAIN_AFTER_MS = 60_000;

/** Records that this start has given up, and who has been told of them. */
export class DropCount {
  readonly #spool: Spool | null;
  readonly #tell: Teller;
  #total = 0;
  #told = 0;
  #fullToldAt = Number.NEGATIVE_INFINITY;

  constructor(spool: Spool | null, tell: Teller) {
    this.#spool = spool;
    this.#tell = tell;
  }

  get total(): number {
    return this.#total;
  }

  /** Whether the intake does not know of all of them. */
  get areOwed(): boolean {
    return this.#total > this.#told;
  }

  add(count: number): void {
    this.#total += count;
    this.#spool?.dropped(this.#total);
  }

  /** They found no room. That is told when it begins, and then at most once a minute. */
  overflowed(count: number, why: string): void {
    this.add(count);
    const now = Date.now();
    if (now - this.#fullToldAt < TOLD_AGAIN_AFTER_MS) return;
    this.#fullToldAt = now;
    this.#tell({ code: 'queue_full', message: `${why}; ${this.#total} records were dropped so far` });
  }

  /** The intake has stored a batch that says so many in all. */
  told(total: number): void {
    this.#told = Math.max(this.#told, total);
  }
}
