export const INT64_MAX = 9_223_372_036_854_775_807n;
export const INT64_MIN = -INT64_MAX - 1n;

/**
 * The nearest integer that a signed one of 64 bits can say. Positions fill all of them, so that differences and counts of positions
 * may need one more.
 */
export function clampToInt64(value: bigint): bigint {
  if (value > INT64_MAX) return INT64_MAX;
  return value < INT64_MIN ? INT64_MIN : value;
}
