export interface FiringPoint {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly firing: number;
}

/** First and last instant of every stretch in which something fires; one ends with the first point at which nothing does. */
export function firingStretches(points: readonly FiringPoint[]): (readonly [number, number])[] {
  const stretches: (readonly [number, number])[] = [];
  let openedAt: number | null = null;
  for (const { at, firing } of points) {
    if (firing > 0) openedAt ??= at;
    else if (openedAt !== null) {
      stretches.push([openedAt, at]);
      openedAt = null;
    }
  }
  const last = points.at(-1);
  if (openedAt !== null && last !== undefined) stretches.push([openedAt, last.at]);
  return stretches;
}
