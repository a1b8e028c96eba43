/** A half-open period in epoch milliseconds. */
export interface Period {
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * Splits a period into the whole units inside it, which a rollup of that unit can answer, and the edges that only
 * the rows themselves can. The parts are disjoint and make up the period; `inner` is null when no whole unit fits.
 */
export function periodParts(
  { fromMs, toMs }: Period,
  unitMs: number,
): { readonly inner: Period | null; readonly edges: readonly Period[] } {
  const first = Math.ceil(fromMs / unitMs) * unitMs;
  const last = Math.floor(toMs / unitMs) * unitMs;
  if (first >= last) return { inner: null, edges: fromMs < toMs ? [{ fromMs, toMs }] : [] };
  const edges = [
    { fromMs, toMs: first },
    { fromMs: last, toMs },
  ];
  return { inner: { fromMs: first, toMs: last }, edges: edges.filter((edge) => edge.fromMs < edge.toMs) };
}
