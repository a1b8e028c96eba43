import { tickWords, timeTicks } from '@/components/chart/time-ticks';
import type { PlotData } from '@/components/plot/plot-data';
import { type PositionScale, positionDomain, positionScale, positionTicks, type XScale, xScale } from '@/components/plot/plot-scale';

export interface Tick<T> {
  readonly value: T;
  readonly at: number;
  readonly words: string;
}

/** Where everything of a plot stands: its edges, its scales and its ticks, in pixels. */
export interface PlotFrame {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
  readonly xOf: XScale;
  readonly yOf: PositionScale;
  readonly xTicks: readonly Tick<number>[];
  readonly yTicks: readonly Tick<bigint>[];
}

const CHARACTER = 6.6;

/** Lays a plot out in a box; null when it holds no position. `isMini` leaves out the gutter for labels at the right. */
export function plotFrame(data: PlotData, width: number, height: number, isMini: boolean): PlotFrame | null {
  const domain = positionDomain(data);
  if (domain === null || width <= 0) return null;
  const [top, bottom] = [isMini ? 8 : 34, height - 24];
  const yOf = positionScale(domain, top, bottom);
  const yTicks = positionTicks(domain, Math.max(2, Math.floor((bottom - top) / 48))).map((value) => ({
    value,
    at: yOf(value),
    words: tickText(value),
  }));
  const left = Math.max(28, Math.max(...yTicks.map((tick) => tick.words.length)) * CHARACTER + 10);
  const right = width - (isMini ? 4 : 64);
  const xOf = xScale(data.fromX, data.toX, left, right);
  const xTicks = xTicksOf(data, right - left, xOf).filter((tick) => tick.at > left + 12 && tick.at < right - (isMini ? 22 : 0));
  return { left, right, top, bottom, xOf, yOf, xTicks, yTicks };
}

/** Long positions are shortened in the middle: their ends tell them apart. */
function tickText(position: bigint): string {
  const text = String(position);
  return text.length <= 9 ? text : `${text.slice(0, 3)}…${text.slice(-5)}`;
}

function xTicksOf(data: PlotData, width: number, xOf: XScale): Tick<number>[] {
  const most = Math.max(2, Math.floor(width / 96));
  if (data.axis === 'time') {
    const ticks = timeTicks(data.fromX, data.toX, most);
    return ticks.map((value) => ({ value, at: xOf(value), words: tickWords(value, ticks) }));
  }
  const step = Math.max(1, Math.ceil((data.toX - data.fromX) / most));
  const ticks: Tick<number>[] = [];
  for (let value = data.fromX; value <= data.toX; value += step) ticks.push({ value, at: xOf(value), words: String(value + 1) });
  return ticks;
}
