import type { Batch } from './batch.js';
import type { KeptRange } from './record-queue.js';

/** A batch that is not settled yet. */
export interface PendingBatch extends Batch {
  /** Rises with every batch, over the epochs. */
  readonly order: number;
  /** Where the spool of this start has it; `inherited` with that of an earlier one. */
  readonly kept: KeptRange | 'inherited' | null;
  attempts: number;
}

/** Where the halves of a batch are kept; the second one answers for both where places and lines do not match. */
export function halvesOf(kept: PendingBatch['kept'], length: number, half: number): readonly [PendingBatch['kept'], PendingBatch['kept']] {
  if (kept === null) return [null, null];
  if (kept === 'inherited' || kept.last - kept.first + 1 !== length) return [null, kept];
  return [
    { first: kept.first, last: kept.first + half - 1 },
    { first: kept.first + half, last: kept.last },
  ];
}
