import type { Tx } from '@/db/transactions';

/** Any number that no other advisory lock of ours has. */
const FOLD_LOCK = 7_310_204_821;
/** Less than a statement may take: who waits for another is told so, rather than that its own work took too long. */
const LOCK_MS_MAX = 25_000;

/**
 * Waits until no other process folds or sets aside, and keeps the turn until the transaction ends. What makes a lead stale must
 * not be folded before what brought the lead, and no increments may be folded while they are set aside.
 *
 * @throws SQLSTATE 55P03 when this lock, or any later one of the transaction, is not free within 25 s
 */
export async function takeTurn(tx: Tx): Promise<void> {
  await tx.query(`set local lock_timeout = ${LOCK_MS_MAX}`);
  await tx.query(`select pg_advisory_xact_lock(${FOLD_LOCK})`);
}
