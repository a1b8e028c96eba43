/** Epoch milliseconds of a record's `at`; null when it has none or it is no instant. */
export function instantOf(at: number | string | undefined): number | null {
  if (at === undefined) return null;
  const ms = typeof at === 'number' ? at : Date.parse(at);
  return Number.isFinite(ms) ? ms : null;
}
