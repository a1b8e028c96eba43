import type { PlotAttempt, PlotData, Stretch } from '@/components/plot/plot-data';
import type { PositionRange } from '@/lib/base/ranges';

/** A line that moves in steps: `values[i]` from `xs[i]` on; NaN where nothing is known. */
export interface StepLine {
  readonly xs: Float64Array;
  readonly values: Float64Array;
}

/** What a client holds; `isAway` beside each point. */
export interface ClientLine extends StepLine {
  readonly isAway: readonly boolean[];
}

export interface HoleBox {
  readonly fromX: number;
  readonly toX: number;
  readonly first: number;
  readonly last: number;
  readonly range: PositionRange;
}

export interface StretchLines {
  readonly generation: string | null;
  readonly cause: string | null;
  readonly fromX: number;
  readonly toX: number;
  readonly head: StepLine;
  readonly floor: StepLine;
  readonly holes: readonly HoleBox[];
  readonly clients: readonly ClientLine[];
  readonly attempts: readonly PlottedAttempt[];
  readonly attemptXs: Float64Array;
  /** The range of all of it, as offsets. */
  readonly min: number;
  readonly max: number;
}

export interface PlottedAttempt {
  readonly attempt: PlotAttempt;
  readonly x: number;
  /** Offset of its cursor; NaN where it has none. */
  readonly cursor: number;
}

/** Stretches that share one y scale: numberings whose positions overlap can be compared by eye, others cannot. */
export interface ScaleGroup {
  /** The position that offset 0 stands for. */
  readonly base: bigint;
  readonly fromX: number;
  readonly toX: number;
  readonly stretches: readonly StretchLines[];
}

interface Extent {
  min: bigint | null;
  max: bigint | null;
}

/**
 * A picture ready to be drawn at any zoom: positions become offsets from a base near them, which doubles carry
 * exactly, so that a long history can be searched and drawn without a bigint in the way.
 */
export function linesOf(data: PlotData): ScaleGroup[] {
  const groups: { extent: { min: bigint; max: bigint }; stretches: Stretch[] }[] = [];
  for (const stretch of data.stretches) {
    const extent = extentOf(stretch, data);
    const last = groups.at(-1);
    if (last !== undefined && (extent === null || (extent.min <= last.extent.max && extent.max >= last.extent.min))) {
      last.stretches.push(stretch);
      if (extent !== null) last.extent = { min: lower(extent.min, last.extent.min), max: higher(extent.max, last.extent.max) };
    } else groups.push({ extent: extent ?? { min: 0n, max: 0n }, stretches: [stretch] });
  }
  return groups.map(({ extent, stretches }) => {
    const lines = stretches.map((stretch) => stretchLines(stretch, data, extent.min));
    return { base: extent.min, fromX: lines[0]?.fromX ?? 0, toX: lines.at(-1)?.toX ?? 0, stretches: lines };
  });
}

const lower = (a: bigint, b: bigint): bigint => (a < b ? a : b);
const higher = (a: bigint, b: bigint): bigint => (a > b ? a : b);

function extentOf(stretch: Stretch, data: PlotData): { min: bigint; max: bigint } | null {
  const extent: Extent = { min: null, max: null };
  const see = (position: bigint | null): void => {
    if (position === null) return;
    if (extent.min === null || position < extent.min) extent.min = position;
    if (extent.max === null || position > extent.max) extent.max = position;
  };
  for (const { floor, head } of stretch.log) {
    see(floor);
    see(head);
  }
  for (const line of clientsIn(stretch, data)) for (const { position } of line) see(position);
  for (const { cursor, replay } of attemptsIn(stretch, data)) {
    see(cursor);
    see(replay?.first ?? null);
    see(replay?.last ?? null);
  }
  return extent.min === null || extent.max === null ? null : { min: extent.min, max: extent.max };
}

/** A client's line is cut where the generation ends, so it belongs to the stretch in which it begins. */
const clientsIn = (stretch: Stretch, data: PlotData) => data.clients.filter((line) => isWithin(line[0]?.x ?? Number.NaN, stretch, data));
const attemptsIn = (stretch: Stretch, data: PlotData) => data.attempts.filter(({ x }) => isWithin(x, stretch, data));

function isWithin(x: number, stretch: Stretch, data: PlotData): boolean {
  return x >= stretch.fromX && (x < stretch.toX || stretch === data.stretches.at(-1));
}

function stretchLines(stretch: Stretch, data: PlotData, base: bigint): StretchLines {
  const offset = (position: bigint | null): number => (position === null ? Number.NaN : Number(position - base));
  const xs = Float64Array.from(stretch.log, ({ x }) => x);
  // The floor of an empty log stands above its head: nothing is retained, and nothing is filled.
  const head = { xs, values: Float64Array.from(stretch.log, (step) => offset(step.head)) };
  const floor = { xs, values: Float64Array.from(stretch.log, (step) => offset(step.floor)) };
  const clients = clientsIn(stretch, data).map((line) => ({
    xs: Float64Array.from(line, ({ x }) => x),
    values: Float64Array.from(line, ({ position }) => offset(position)),
    isAway: line.map(({ isAway }) => isAway),
  }));
  const attempts = attemptsIn(stretch, data).map((attempt) => ({ attempt, x: attempt.x, cursor: offset(attempt.cursor) }));
  const all = [...[head, floor, ...clients].map(({ values }) => boundsOf(values)), boundsOf(attempts.map(({ cursor }) => cursor))];
  const holes = stretch.holes.map(({ fromX, toX, range }) => ({
    fromX,
    toX,
    first: offset(range.first),
    last: offset(range.last),
    range,
  }));
  const { generation, cause, fromX, toX } = stretch;
  const [min, max] = [Math.min(...all.map((one) => one.min)), Math.max(...all.map((one) => one.max))];
  const attemptXs = Float64Array.from(attempts, ({ x }) => x);
  return { generation, cause, fromX, toX, head, floor, holes, clients, attempts, attemptXs, min, max };
}

/** Least and greatest of the values that are known, between two places; infinite where none is. */
export function boundsOf(values: ArrayLike<number>, from = 0, to = values.length): { min: number; max: number } {
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  for (let place = from; place < to; place++) {
    const value = values[place] ?? Number.NaN;
    if (value < min) min = value;
    if (value > max) max = value;
  }
  return { min, max };
}
