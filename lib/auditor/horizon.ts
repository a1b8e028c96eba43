/** How long a number may be missing before it is no longer waited for: no transaction of the intake takes this long. */
const PATIENCE_MS = 120_000;

/** What the database says of its transactions at one instant; `lastBatch` is read before the two identities. */
export interface Running {
  /** The highest number that was given to a transaction of the intake. */
  readonly lastBatch: number;
  /** The oldest transaction that still runs, and the first that has not begun. */
  readonly oldest: bigint;
  readonly next: bigint;
}

/**
 * Up to which number every transaction of the intake has committed or failed. A transaction takes its identity
 * before its number, so once everything that ran when a number was seen is over, no lower number can appear any
 * more: what is read up to there is read in order, and whole.
 */
export class Horizon {
  #settled = 0;
  #pending: { readonly lastBatch: number; readonly next: bigint; readonly sinceMs: number } | null = null;

  /** @param nowMs any clock that only goes forward */
  advance({ lastBatch, oldest, next }: Running, nowMs: number): number {
    const pending = this.#pending;
    if (pending !== null && (oldest >= pending.next || nowMs - pending.sinceMs > PATIENCE_MS)) {
      this.#settled = Math.max(this.#settled, pending.lastBatch);
      this.#pending = null;
    }
    if (oldest >= next) {
      this.#settled = Math.max(this.#settled, lastBatch);
      this.#pending = null;
    } else if (lastBatch > this.#settled) this.#pending ??= { lastBatch, next, sinceMs: nowMs };
    return this.#settled;
  }
}
