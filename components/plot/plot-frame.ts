import { tickWords, timeTicks } from '@/components/chart/time-ticks';
import type { PlotData } from '@/components/plot/plot-data';
import {
  type Domain,
  type PositionScale,
  partsOf,
  positionDomain,
  positionScale,
  positionTicks,
  stretchAt,
  type XScale,
  xScale,
} from '@/components/plot/plot-scale';

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
  /** The scale of the generation that holds `x`: each has its own. */
  readonly scaleAt: (x: number) => PositionScale;
  readonly xTicks: readonly Tick<number>[];
  readonly yTicks: readonly PositionTick[];
}

/** A tick of one generation's scale, drawn over that generation's part of the plot. */
export interface PositionTick extends Tick<bigint> {
  readonly fromPx: number;
  readonly toPx: number;
  readonly isFirst: boolean;
}

const CHARACTER = 6.6;
/** A later generation that has less room than this shows no ticks. Pixels. */
const TICKED_PX = 90;

/** Lays a plot out in a box; null when it holds no position. `isMini` leaves out the gutter for labels at the right. */
export function plotFrame(data: PlotData, width: number, height: number, isMini: boolean): PlotFrame | null {
  const domain = positionDomain(data);
  if (domain === null || width <= 0) return null;
  const [top, bottom] = [isMini ? 8 : 34, height - 24];
  const domains = partsOf(data).map((part) => positionDomain(part) ?? domain);
  const scales = domains.map((one) => positionScale(one, top, bottom));
  const whole = positionScale(domain, top, bottom);
  const scaleAt = (x: number) => scales[stretchAt(data, x)] ?? whole;
  const most = Math.max(2, Math.floor((bottom - top) / 48));
  const left = Math.max(28, Math.max(...positionTicks(domains[0] ?? domain, most).map((value) => tickText(value).length)) * CHARACTER + 10);
  const right = width - (isMini ? 4 : 64);
  const xOf = xScale(data.fromX, data.toX, left, right);
  const xTicks = xTicksOf(data, right - left, xOf).filter((tick) => tick.at > left + 12 && tick.at < right - (isMini ? 22 : 0));
  const yTicks = domains.flatMap((one, index) => ticksOfStretch(data, index, one, scales[index] ?? whole, most, { left, right, xOf }));
  return { left, right, top, bottom, xOf, scaleAt, xTicks, yTicks };
}

interface Edges {
  readonly left: number;
  readonly right: number;
  readonly xOf: XScale;
}

function ticksOfStretch(
  { stretches }: PlotData,
  index: number,
  domain: Domain,
  scale: PositionScale,
  most: number,
  { left, right, xOf }: Edges,
): PositionTick[] {
  const isFirst = index === 0;
  const next = stretches[index + 1];
  const fromPx = isFirst ? left : xOf(stretches[index]?.fromX ?? 0);
  const toPx = next === undefined ? right : xOf(next.fromX);
  if (!isFirst && toPx - fromPx < TICKED_PX) return [];
  return positionTicks(domain, most).map((value) => ({ value, at: scale(value), words: tickText(value), fromPx, toPx, isFirst }));
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
