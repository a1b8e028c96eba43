import type { Batch } from './batch.js';
import type { Places } from './record-queue.js';

/** Where the records of a batch are kept: each at its place by this start, or all of them in the file of an earlier one. */
export type Kept = { readonly by: 'this_start'; readonly places: Places } | { readonly by: 'earlier_start'; readonly epoch: string };

/** A batch that is not settled yet. */
export interface PendingBatch extends Batch {
  /** Rises with every batch, over the epochs. */
  readonly order: number;
  readonly kept: Kept;
  attempts: number;
}

export function halvesOf(kept: Kept, half: number): readonly [Kept, Kept] {
  if (kept.by === 'earlier_start') return [kept, kept];
  const { by, places } = kept;
  return [
    { by, places: places.slice(0, half) },
    { by, places: places.slice(half) },
  ];
}
