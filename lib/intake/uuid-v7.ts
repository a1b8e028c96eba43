import { randomFillSync } from 'node:crypto';

const POOL_BYTES = 4096;
const RANDOM_BYTES = 10;

const pool = Buffer.allocUnsafe(POOL_BYTES);
let used = POOL_BYTES;

/** A UUID of version 7 for an instant in epoch milliseconds: ids made later sort later. */
export function uuidV7(ms: number): string {
  if (used + RANDOM_BYTES > POOL_BYTES) {
    randomFillSync(pool);
    used = 0;
  }
  const time = ms.toString(16).padStart(12, '0');
  const random = pool.toString('hex', used, used + RANDOM_BYTES);
  const variant = '89ab'[(pool[used + 2] ?? 0) & 3];
  used += RANDOM_BYTES;
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(0, 3)}-${variant}${random.slice(3, 6)}-${random.slice(6, 18)}`;
}
