/** Largest position of a stream, inclusive (2^63−1, contract section 1). */
export const POSITION_MAX = 9_223_372_036_854_775_807n;

/** A position as JSON carries it: a number up to 2^53−1, a decimal string beyond. */
export type JsonPosition = number | string;

const DECIMAL = /^(?:0|[1-9]\d{0,18})$/;

/**
 * Reads a position from its JSON form. Accepts a number or a canonical decimal string at any size up to
 * 2^63−1; anything else (fractions, signs, leading zeros, numbers that JSON already rounded) is null.
 */
export function parsePosition(value: unknown): bigint | null {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0 ? BigInt(value) : null;
  if (typeof value !== 'string' || !DECIMAL.test(value)) return null;
  const position = BigInt(value);
  return position <= POSITION_MAX ? position : null;
}

/** Writes a position so that no JSON reader can round it. Also used for counts of positions. */
export function encodePosition(position: bigint): JsonPosition {
  return position <= 9_007_199_254_740_991n && position >= -9_007_199_254_740_991n ? Number(position) : position.toString();
}
