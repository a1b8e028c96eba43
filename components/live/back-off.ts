const FIRST_MS = 500;
const LONGEST_MS = 20_000;

/**
 * How long to wait before reconnect number `attempt` (from 0): doubling from half a second to twenty, between
 * half and the whole of that by `chance` (0 … 1), so that many pages do not return at once. Milliseconds.
 */
export function backOffMs(attempt: number, chance: number): number {
  const longest = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(attempt, 16));
  return Math.round(longest * (0.5 + chance / 2));
}
