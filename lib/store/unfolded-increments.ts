import { type Increments, noIncrements } from '@/lib/rollup/increments';
import { mergeIncrements } from '@/lib/rollup/merge-increments';

/** More of them than a fold takes at a time are of no use to it. */
const BATCHES_MAX = 400;

/** Increments of transactions, added up, and the numbers of those. */
export interface OwnIncrements {
  readonly batches: readonly number[];
  readonly total: Increments;
}

/**
 * What this process committed since its last fold, so that a fold need not read again what was written here. Only a memory:
 * whatever it does not hold, or does not hold any more, is read from the table.
 */
export class UnfoldedIncrements {
  #batches: number[] = [];
  #total = noIncrements();

  /** Adds what the transaction of a number left; called once it is known to be committed. */
  add(batch: number, increments: Increments): void {
    if (this.#batches.length === BATCHES_MAX) this.take();
    this.#batches.push(batch);
    mergeIncrements(this.#total, increments);
  }

  /** Gives everything away. */
  take(): OwnIncrements {
    const taken = { batches: this.#batches, total: this.#total };
    this.#batches = [];
    this.#total = noIncrements();
    return taken;
  }
}
