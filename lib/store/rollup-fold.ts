import type { Transactions } from '@/db/transactions';
import { foldPending } from '@/lib/store/fold-pending';
import { FoldWidth } from '@/lib/store/fold-width';
import { type SetAside, takeBackSetAside } from '@/lib/store/set-aside';
import type { UnfoldedIncrements } from '@/lib/store/unfolded-increments';

/** After a while without any, increments are folded this soon: pages wait for it. */
const FOLD_SOON_MS = 150;
/** Folds begin this far apart, so that they have more to add up at once. */
const FOLD_SPACING_MS = 1_000;
/** Under load a fold may take this share of the time, within a bound: what it costs hardly grows with what it adds up. */
const FOLD_SHARE = 0.05;
const FOLD_SPACING_MS_MAX = 5_000;
/** Folds of one settling: bounds how long a reader waits under load. */
const FOLDS_MAX = 50;

/** Who is told of folds that failed. */
export interface FoldTold {
  /** A fold failed and is tried again. */
  readonly onTrouble: (cause: unknown) => void;
  /** Increments were set aside: what they hold is missing from the rollups. */
  readonly onSetAside: (some: SetAside) => void;
}

/**
 * Folds pending increments into the rollup tables, a moment after the commit and in a transaction that also
 * removes them: no crash can make a rollup miss a row or count it twice, and the intake does not wait for it. The
 * same transaction appends to the live feed, so that whoever is told of something finds it. Increments that cannot be
 * folded, or not in time, are set aside and told: no row can stop the others.
 */
export class RollupFold {
  readonly #transactions: Transactions;
  readonly #unfolded: UnfoldedIncrements;
  readonly #told: FoldTold;
  readonly #width = new FoldWidth();
  #timer: NodeJS.Timeout | null = null;
  #running: Promise<void> | null = null;
  #next: Promise<void> | null = null;
  /** No fold begins by itself before, by the clock of `performance`. */
  #earliest = Number.NEGATIVE_INFINITY;

  /** @param unfolded what this process stored itself. */
  constructor(transactions: Transactions, unfolded: UnfoldedIncrements, told: FoldTold) {
    this.#transactions = transactions;
    this.#unfolded = unfolded;
    this.#told = told;
  }

  /** Leaves what was set aside to be folded again; called once at the start, which does not depend on it. */
  takeBack(): Promise<void> {
    return this.#transactions.run(takeBackSetAside).catch(this.#told.onTrouble);
  }

  /** Notes that increments were committed; they are folded within about a second, sooner when there are few, within a few seconds under load. */
  schedule(): void {
    const waitMs = Math.max(FOLD_SOON_MS, this.#earliest - performance.now());
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      this.settle().catch(this.#told.onTrouble);
    }, waitMs);
  }

  /** Resolves when everything that was committed before the call is folded, as far as one settling goes. */
  settle(): Promise<void> {
    if (this.#running === null) {
      const began = performance.now();
      this.#running = this.#foldAll().finally(() => {
        this.#running = null;
        const restMs = (performance.now() - began) / FOLD_SHARE;
        this.#earliest = began + Math.min(Math.max(FOLD_SPACING_MS, restMs), FOLD_SPACING_MS_MAX);
      });
      return this.#running;
    }
    // A fold that runs may have looked already: only one that begins now is sure to see what was committed.
    this.#next ??= this.#running
      .catch(() => undefined)
      .then(() => {
        this.#next = null;
        return this.settle();
      });
    return this.#next;
  }

  /** Folds what is left. */
  async close(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.settle();
  }

  async #foldAll(): Promise<void> {
    for (let folds = 0; folds < FOLDS_MAX; folds++) {
      const countMax = this.#width.count;
      const folded = await foldPending(this.#transactions, this.#unfolded, this.#width, this.#told.onSetAside);
      if (folded < countMax) return;
    }
  }
}
