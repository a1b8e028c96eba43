import type { PlotData } from '@/components/plot/plot-data';

export interface Domain {
  readonly min: bigint;
  readonly max: bigint;
}

/** Lowest and highest position that the picture holds; null when it holds none. */
export function positionDomain(data: PlotData): Domain | null {
  let min: bigint | null = null;
  let max: bigint | null = null;
  const see = (position: bigint | null) => {
    if (position === null) return;
    if (min === null || position < min) min = position;
    if (max === null || position > max) max = position;
  };
  for (const stretch of data.stretches) {
    for (const { floor, head } of stretch.log) {
      see(floor);
      see(head);
    }
    for (const { range } of stretch.holes) see(range.first);
  }
  for (const line of data.clients) for (const { position } of line) see(position);
  for (const { cursor, replay } of data.attempts) {
    see(cursor);
    see(replay?.first ?? null);
    see(replay?.last ?? null);
  }
  return min === null || max === null ? null : { min, max };
}

/** Which stretch holds `x`: the last that begins at or before it. */
export function stretchAt(data: PlotData, x: number): number {
  return Math.max(
    0,
    data.stretches.findLastIndex((stretch) => stretch.fromX <= x),
  );
}

/** The picture cut at its generations: positions of one say nothing in another, so each has a scale of its own. */
export function partsOf(data: PlotData): PlotData[] {
  return data.stretches.map((stretch, index) => ({
    ...data,
    stretches: [stretch],
    clients: data.clients.filter(([first]) => first !== undefined && stretchAt(data, first.x) === index),
    attempts: data.attempts.filter((attempt) => stretchAt(data, attempt.x) === index),
  }));
}

export type PositionScale = (position: bigint) => number;

/**
 * Maps positions to pixels, high ones up, with air at both ends. Differences are taken in integers, so that
 * positions near 2^63 are as sharp as small ones.
 */
export function positionScale(domain: Domain, top: number, bottom: number): PositionScale {
  const span = Number(domain.max - domain.min);
  const air = Math.max(1, span * 0.07);
  const perPosition = (bottom - top) / (span + 2 * air);
  return (position) => bottom - (Number(position - domain.min) + air) * perPosition;
}

/** Round positions inside a domain, at most about `most` of them. */
export function positionTicks({ min, max }: Domain, most: number): bigint[] {
  const span = max - min;
  if (span === 0n) return [min];
  let step = 1n;
  for (let factor = 0; span / step > BigInt(Math.max(1, most)); factor++) step = factor % 3 === 1 ? (step * 5n) / 2n : step * 2n;
  const ticks: bigint[] = [];
  for (let tick = ((min + step - 1n) / step) * step; tick <= max; tick += step) ticks.push(tick);
  return ticks;
}

export type XScale = (x: number) => number;

/** Maps x (instants or order) to pixels with a little air, so that the first and the last record can be seen whole. */
export function xScale(fromX: number, toX: number, left: number, right: number): XScale {
  const span = Math.max(1, toX - fromX);
  const air = span * 0.04;
  return (x) => left + ((x - fromX + air) / (span + 2 * air)) * (right - left);
}
