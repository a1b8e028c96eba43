import type { Step } from '@/components/api/timeline';
import type { PlotAttempt } from '@/components/plot/plot-data';
import { parsePosition } from '@/lib/base/position';
import { lastRangeFrom, mergeRanges, type PositionRange } from '@/lib/base/ranges';

/** Places of the emissions that some client of the stream never got: those in the gap of an unsafe resume of their generation. */
export function lostEmissions(steps: readonly Step[], attempts: ReadonlyMap<number, PlotAttempt>): ReadonlySet<number> {
  const gaps = gapsByGeneration(steps, attempts);
  const lost = new Set<number>();
  if (gaps.size === 0) return lost;
  let [generation, head]: [string | null, bigint | null] = [null, null];
  for (const { index, record, state } of steps) {
    const before = state.generation === generation ? head : null;
    generation = state.generation;
    head = parsePosition(state.head);
    if (record.type !== 'emit' || head === null) continue;
    const gap = lastRangeFrom(gaps.get(generation) ?? [], head);
    if (gap !== null && gap.last > (before ?? head - 1n)) lost.add(index);
  }
  return lost;
}

function gapsByGeneration(steps: readonly Step[], attempts: ReadonlyMap<number, PlotAttempt>): Map<string | null, PositionRange[]> {
  const gaps = new Map<string | null, PositionRange[]>();
  for (const { index, state } of steps) {
    const attempt = attempts.get(index);
    if (attempt?.mark !== 'unsafe_resume' || attempt.gaps.length === 0) continue;
    gaps.set(state.generation, mergeRanges([...(gaps.get(state.generation) ?? []), ...attempt.gaps]));
  }
  return gaps;
}
