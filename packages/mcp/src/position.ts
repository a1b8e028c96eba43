const POSITION_MAX = 9_223_372_036_854_775_807n;
const DECIMAL = /^(?:0|[1-9]\d{0,18})$/;

/** A position as a caller may hold it; as text it is decimal without leading zeros. */
export type PositionLike = number | bigint | string;

/** A position as JSON carries it: a number up to 2^53−1, a decimal string beyond. */
export type JsonPosition = number | string;

/** Reads a position exactly, up to 2^63−1; null for anything that is none. Never rounds, never coerces. */
export function readPosition(value: unknown): bigint | null {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0 ? BigInt(value) : null;
  if (typeof value === 'bigint') return value >= 0n && value <= POSITION_MAX ? value : null;
  if (typeof value !== 'string' || !DECIMAL.test(value)) return null;
  const position = BigInt(value);
  return position <= POSITION_MAX ? position : null;
}

/** Writes a position or a count so that no JSON reader can round it. */
export function jsonPosition(position: bigint): JsonPosition {
  return position <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(position) : position.toString();
}
