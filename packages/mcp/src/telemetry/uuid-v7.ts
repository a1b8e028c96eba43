import { randomBytes } from 'node:crypto';

/**
 * Makes time-ordered UUIDs (RFC 9562, version 7): 48 bits of milliseconds, a 12-bit counter that keeps the
 * order inside one millisecond, 62 random bits. If the clock steps back the last instant is kept.
 */
export function uuidV7Source(now: () => number): () => string {
  let instant = 0;
  let counter = 0;
  return () => {
    const current = now();
    if (current > instant) {
      instant = current;
      counter = 0;
    } else counter += 1;
    if (counter > 0xfff) {
      instant += 1;
      counter = 0;
    }
    const bytes = randomBytes(16);
    bytes.writeUIntBE(instant, 0, 6);
    bytes.writeUInt16BE(0x7000 | counter, 6);
    bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
    const hex = bytes.toString('hex');
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
  };
}
