/** How a list moved so far. */
export interface Motion {
  readonly offsetPx: number;
  /** Whether the last step left no row in sight that was there before. */
  readonly isLeap: boolean;
  /** Whether it moves faster than anybody reads: two such steps in a row. */
  readonly isSkimming: boolean;
}

export const AT_REST: Motion = { offsetPx: 0, isLeap: false, isSkimming: false };

/** The motion after a list of `viewPx` came to `offsetPx`. One leap, as by `End`, is no skimming; standing still ends it. */
export function movedTo(before: Motion, offsetPx: number, viewPx: number, isScrolling: boolean): Motion {
  const isLeap = isScrolling && Math.abs(offsetPx - before.offsetPx) >= viewPx;
  return { offsetPx, isLeap, isSkimming: isLeap && before.isLeap };
}
