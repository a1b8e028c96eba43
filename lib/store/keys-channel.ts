import type { Tx } from '@/db/transactions';

/** Told on this channel: keys, or which servers they may report for, were changed, and every process reads them again. */
export const KEYS_CHANNEL = 'tidemark_keys';

/** Tells every process, when the transaction commits. */
export async function tellKeysChanged(tx: Tx): Promise<void> {
  await tx.query(`select pg_notify('${KEYS_CHANNEL}', '')`);
}
