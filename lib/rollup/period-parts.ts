/** A half-open period in epoch milliseconds. */
export interface Period {
  readonly fromMs: number;
  readonly toMs: number;
  /** The period reaches up to now: what rollups hold of its last unit is all there is of it. */
  readonly isOpen?: boolean;
}

/** The period of the same length that ends where a period begins. */
export function periodBefore({ fromMs, toMs }: Period): Period {
  return { fromMs: fromMs - (toMs - fromMs), toMs: fromMs };
}

/**
 * Splits a period into the whole units inside it, which a rollup of that unit can answer, and the edges that only
 * the rows themselves can. The parts are disjoint and make up the period; `inner` is null when no whole unit fits.
 * An open period takes its last unit whole: then only what is dated ahead of now lies beyond its end.
 */
export function periodParts(
  { fromMs, toMs, isOpen = false }: Period,
  unitMs: number,
): { readonly inner: Period | null; readonly edges: readonly Period[] } {
  const first = Math.ceil(fromMs / unitMs) * unitMs;
  const last = (isOpen ? Math.ceil(toMs / unitMs) : Math.floor(toMs / unitMs)) * unitMs;
  if (first >= last) return { inner: null, edges: fromMs < toMs ? [{ fromMs, toMs }] : [] };
  const edges = [
    { fromMs, toMs: first },
    { fromMs: last, toMs },
  ];
  return { inner: { fromMs: first, toMs: last }, edges: edges.filter((edge) => edge.fromMs < edge.toMs) };
}
