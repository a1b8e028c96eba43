import { randomFillSync } from 'node:crypto';

/** Random bytes are drawn in bulk: one draw costs as much as hundreds of ids. */
const POOL_BYTES = 4096;
const BYTES_PER_ID = 8;

/**
 * Makes time-ordered UUIDs (RFC 9562, version 7): 48 bits of milliseconds, a 12-bit counter that keeps the
 * order inside one millisecond, 62 random bits. If the clock steps back the last instant is kept.
 */
export function uuidV7Source(now: () => number): () => string {
  const pool = Buffer.alloc(POOL_BYTES);
  let next = POOL_BYTES;
  let instant = 0;
  let counter = 0;
  let time = '';
  return () => {
    const current = now();
    if (current > instant) {
      instant = current;
      counter = 0;
      time = '';
    } else counter += 1;
    if (counter > 0xfff) {
      instant += 1;
      counter = 0;
      time = '';
    }
    if (time === '') {
      const hex = instant.toString(16).padStart(12, '0');
      time = `${hex.slice(0, 8)}-${hex.slice(8)}-7`;
    }
    if (next === POOL_BYTES) {
      randomFillSync(pool);
      next = 0;
    }
    pool[next] = ((pool[next] ?? 0) & 0x3f) | 0x80;
    const random = pool.toString('hex', next, next + BYTES_PER_ID);
    next += BYTES_PER_ID;
    return `${time}${counter.toString(16).padStart(3, '0')}-${random.slice(0, 4)}-${random.slice(4)}`;
  };
}
