/** The smallest round number (1, 2, 2.5, 5 times a power of ten, and 4) at or above `highest`, for the top of an axis of counts. */
export function niceTop(highest: number): number {
  if (highest <= 4) return 4;
  const power = 10 ** Math.floor(Math.log10(highest));
  const step = [1, 2, 2.5, 4, 5, 10].find((one) => highest <= one * power) ?? 10;
  return step * power;
}

/** Ticks of an axis of counts that ends at `top`: its middle too, where that is a whole count. */
export function countTicks(top: number): number[] {
  return top % 2 === 0 ? [0, top / 2, top] : [0, top];
}
