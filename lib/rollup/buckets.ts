/** Sub-buckets per doubling: a value is known to within a factor of 2^(1/4), the middle of its bucket to within 9 %. */
const BUCKETS_PER_OCTAVE = 4;

/**
 * Logarithmic bucket of an integer: 0 for 0, 1 and up for positive values, negative for negative ones. Buckets of
 * the same number are the same range everywhere, so histograms of any two groups add up.
 */
export function bucketOf(value: bigint): number {
  if (value === 0n) return 0;
  const size = Number(value < 0n ? -value : value);
  const bucket = 1 + Math.floor(BUCKETS_PER_OCTAVE * Math.log2(size));
  return value < 0n ? -bucket : bucket;
}

/** The bucket that begins at `2^octave`; exact below octave 40. */
export function bucketOfOctave(octave: number): number {
  return 1 + BUCKETS_PER_OCTAVE * octave;
}
