import { MARKS, type Mark } from '@/lib/resume/mark';
import type { Series } from '@/lib/wire/responses';

/** One bar: attempts of one step by mark, and the events that were lost in it. */
export type Bar = {
  readonly at: number;
  readonly lost: number;
  readonly total: number;
  /** Those of the attempts that are counted as `resume_unavailable`, whatever their mark. */
  readonly unavailable: number;
} & Readonly<Record<Mark, number>>;

/** The series as bars, marks that did not occur counted as zero. */
export function barsOf(series: Series): Bar[] {
  return series.points.map((point) => {
    const count = (mark: Mark) => point.counts[mark] ?? 0;
    return {
      at: Date.parse(point.at),
      lost: Number(point.events_lost),
      unavailable: point.resume_unavailable,
      total: MARKS.reduce((sum, mark) => sum + count(mark), 0),
      unsafe_resume: count('unsafe_resume'),
      bad_replay: count('bad_replay'),
      over_refusal: count('over_refusal'),
      refused: count('refused'),
      resumed: count('resumed'),
      fresh: count('fresh'),
      unverifiable: count('unverifiable'),
    };
  });
}

/**
 * Attempts of the period before a series, each of its bars counted at the bar that lies as far into the series: as
 * many counts as `bars`, with nothing left out.
 */
export function alignedBefore(bars: readonly Bar[], series: Series, before: Series): number[] {
  const counts = bars.map(() => 0);
  const [fromMs, beforeMs] = [Date.parse(series.from), Date.parse(before.from)];
  for (const { at, total } of barsOf(before)) {
    const place = Math.floor((fromMs + Math.max(0, at - beforeMs) - (bars[0]?.at ?? fromMs)) / (series.step_s * 1_000));
    const slot = Math.min(bars.length - 1, place);
    if (slot >= 0) counts[slot] = (counts[slot] ?? 0) + total;
  }
  return counts;
}

export interface Totals {
  readonly marks: Readonly<Record<Mark, number>>;
  readonly lost: number;
  readonly unavailable: number;
}

/** How often each mark and `resume_unavailable` occurred over the whole series, and the events lost. */
export function totalsOf(bars: readonly Bar[]): Totals {
  const sum = (of: (bar: Bar) => number) => bars.reduce((total, bar) => total + of(bar), 0);
  return {
    lost: sum((bar) => bar.lost),
    unavailable: sum((bar) => bar.unavailable),
    marks: {
      unsafe_resume: sum((bar) => bar.unsafe_resume),
      bad_replay: sum((bar) => bar.bad_replay),
      over_refusal: sum((bar) => bar.over_refusal),
      refused: sum((bar) => bar.refused),
      resumed: sum((bar) => bar.resumed),
      fresh: sum((bar) => bar.fresh),
      unverifiable: sum((bar) => bar.unverifiable),
    },
  };
}

/** The instants of the bars that hold the given round ticks: a category axis can only mark its own bars. */
export function barTicks(bars: readonly Bar[], ticks: readonly number[], stepMs: number): Map<number, number> {
  const byBar = new Map<number, number>();
  for (const tick of ticks) {
    const bar = bars.find((one) => one.at <= tick && tick < one.at + stepMs);
    if (bar !== undefined) byBar.set(bar.at, tick);
  }
  return byBar;
}
