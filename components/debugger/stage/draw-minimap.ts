import type { History } from '@/components/debugger/model/history';
import type { MarkedAttempt } from '@/components/debugger/model/judgements';
import type { Viewport } from '@/components/debugger/model/viewport';
import type { Brush } from '@/components/debugger/stage/brush';
import type { Mark } from '@/lib/resume/mark';

export interface MinimapBox {
  readonly left: number;
  readonly right: number;
  readonly height: number;
}

/** Shown above all others where several stand on one pixel. */
const LOUDNESS: Readonly<Record<Mark, number>> = {
  unsafe_resume: 6,
  bad_replay: 5,
  over_refusal: 4,
  refused: 3,
  resumed: 2,
  unverifiable: 1,
  fresh: 0,
};
const MARK_GAP_PX = 9;

const BAR_PX = 4;

/** How many records fell on each bar of the whole clock. */
export function densityOf(history: History, whole: Viewport, width: number): Float64Array {
  const counts = new Float64Array(Math.max(1, Math.ceil(width / BAR_PX)));
  const perPx = (whole.toX - whole.fromX) / counts.length;
  for (const x of history.xs) {
    const px = Math.min(counts.length - 1, Math.floor((x - whole.fromX) / perPx));
    counts[px] = (counts[px] ?? 0) + 1;
  }
  return counts;
}

/** The whole incident: how busy it was, and the attempts of every session. */
export function drawMinimap(
  brush: Brush,
  { left, right, height }: MinimapBox,
  whole: Viewport,
  density: Float64Array,
  attempts: readonly (MarkedAttempt & { readonly x: number })[],
): void {
  const { ctx, ink } = brush;
  const base = height - 16;
  const highest = Math.log1p(density.reduce((most, count) => Math.max(most, count), 1));
  ctx.fillStyle = ink.edge;
  for (const [bar, count] of density.entries()) {
    const height = (Math.log1p(count) / highest) * (base - 16);
    ctx.fillRect(left + bar * BAR_PX, base - height, BAR_PX - 1, height);
  }
  brush.line(left, base + 0.5, right, base + 0.5, ink.axis);
  const xOf = (x: number): number => left + ((x - whole.fromX) / (whole.toX - whole.fromX)) * (right - left);
  for (const { x, mark } of loudestPerGap(attempts, xOf)) brush.mark(mark, xOf(x), 9, 8);
}

function loudestPerGap<T extends MarkedAttempt & { readonly x: number }>(attempts: readonly T[], xOf: (x: number) => number): T[] {
  const kept = new Map<number, T>();
  for (const attempt of attempts) {
    const cell = Math.round(xOf(attempt.x) / MARK_GAP_PX);
    const known = kept.get(cell);
    if (known === undefined || LOUDNESS[attempt.mark] > LOUDNESS[known.mark]) kept.set(cell, attempt);
  }
  return [...kept.values()];
}
