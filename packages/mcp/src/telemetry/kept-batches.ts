import type { Spool } from '../spool/spool.js';
import type { PendingBatch } from './pending-batch.js';

/** What the spool, where there is one, is told of batches. */
export class KeptBatches {
  readonly #spool: Spool | null;
  readonly #epoch: string;

  constructor(spool: Spool | null, epoch: string) {
    this.#spool = spool;
    this.#epoch = epoch;
  }

  /** A batch was given its number: no other batch may have it, by this start or the next. */
  numbered({ origin, kept }: PendingBatch): void {
    if (origin.epoch === this.#epoch) this.#spool?.batched(origin, kept.by === 'this_start' ? kept.places : []);
  }

  /** The batch is settled. */
  forget({ kept, lines }: PendingBatch): void {
    if (kept.by === 'this_start') this.#spool?.done(kept.places);
    else this.#spool?.inheritedDone(kept.epoch, lines.length);
  }

  /** The batch is left to the next start; answers how many records of it that one will find. */
  left({ kept, lines }: PendingBatch): number {
    if (kept.by === 'this_start') return this.#spool?.left(kept.places) ?? 0;
    return this.#spool?.holdsInherited(kept.epoch) === true ? lines.length : 0;
  }
}
