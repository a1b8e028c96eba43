import type { Bar } from '@/components/overview/attempts-over-time';
import { MARKS, type Mark } from '@/lib/resume/mark';

/** Where bars stand: pixels inside a drawing, and the time they cover in epoch milliseconds. */
export interface BarArea {
  readonly left: number;
  readonly right: number;
  readonly fromMs: number;
  readonly toMs: number;
}

export interface Segment {
  readonly mark: Mark;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Room between two bars, where there is any to spare. Pixels. */
const SPACING = 1;
const SPACED_FROM = 3;
/** The least height of a fault that occurred: one among thousands must be seen. */
const FAULT_PX = 2;
const FAULTS: readonly Mark[] = ['unsafe_resume', 'bad_replay', 'over_refusal'];

/** The place of an instant on the time axis, kept within it. */
export function xAt({ left, right, fromMs, toMs }: BarArea, atMs: number): number {
  const share = (atMs - fromMs) / Math.max(1, toMs - fromMs);
  return left + Math.min(1, Math.max(0, share)) * (right - left);
}

/** The bar under a place of the axis; -1 outside of it. */
export function barAt({ left, right }: BarArea, bars: number, x: number): number {
  if (x < left || x >= right || bars === 0) return -1;
  return Math.min(bars - 1, Math.floor(((x - left) / (right - left)) * bars));
}

/** The segments of all bars: faults at the base, in the order of the marks, and the top of the axis at `top`. */
export function segmentsOf(bars: readonly Bar[], area: BarArea, top: number, heightPx: number): Segment[] {
  const step = (area.right - area.left) / Math.max(1, bars.length);
  const width = Math.max(0.5, step >= SPACED_FROM ? step - SPACING : step);
  return bars.flatMap((bar, index) => {
    const x = area.left + index * step + (step - width) / 2;
    let base = heightPx;
    return MARKS.flatMap((mark) => {
      if (bar[mark] === 0) return [];
      const height = Math.max(FAULTS.includes(mark) ? FAULT_PX : 0, (bar[mark] / top) * heightPx);
      base -= height;
      return [{ mark, x, y: base, width, height }];
    });
  });
}

/** Stretches that a line is drawn through: one through every bar would be as restless as the bars. */
const LINE_POINTS = 48;

/** A line through the means of neighbouring values, as the data of an SVG path. */
export function meanPath(values: readonly number[], area: BarArea, top: number, heightPx: number): string {
  const step = (area.right - area.left) / Math.max(1, values.length);
  const size = Math.ceil(values.length / LINE_POINTS);
  const points: string[] = [];
  for (let first = 0; first < values.length; first += size) {
    const own = values.slice(first, first + size);
    const mean = own.reduce((sum, value) => sum + value, 0) / own.length;
    const x = area.left + (first + own.length / 2) * step;
    points.push(`${x.toFixed(1)} ${(heightPx - (Math.min(top, mean) / top) * heightPx).toFixed(1)}`);
  }
  return points.length === 0 ? '' : `M${points.join('L')}`;
}

/** Steps as wide as the bars and as high as their counts, from the base to the base wherever something was counted; SVG path data. */
export function stepPath(counts: readonly number[], area: BarArea, top: number, heightPx: number): string {
  const step = (area.right - area.left) / Math.max(1, counts.length);
  const x = (index: number) => (area.left + index * step).toFixed(1);
  let path = '';
  counts.forEach((count, index) => {
    if (count === 0) return;
    const starts = (counts[index - 1] ?? 0) === 0;
    const ends = (counts[index + 1] ?? 0) === 0;
    path += `${starts ? `M${x(index)} ${heightPx}` : ''}V${(heightPx - (count / top) * heightPx).toFixed(1)}H${x(index + 1)}`;
    if (ends) path += `V${heightPx}`;
  });
  return path;
}
