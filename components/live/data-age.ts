/** Older than this, what is shown says of when it is: two waits of a quiet page. */
const OLD_MS = 120_000;

/**
 * The instant of which data is shown, by when each part of it was read; null while all of it is fresh, or nothing is
 * read yet. Epoch milliseconds.
 */
export function oldDataAt(readAt: readonly number[], nowMs: number): number | null {
  const read = readAt.filter((at) => at > 0);
  const oldest = Math.min(...read);
  return read.length > 0 && nowMs - oldest > OLD_MS ? oldest : null;
}
