import { tickWords, timeTicks } from '@/components/chart/time-ticks';
import { type Axis, countUpTo } from '@/components/debugger/model/history';
import { boundsOf, type ScaleGroup, type StepLine } from '@/components/debugger/model/plot-lines';
import type { Viewport } from '@/components/debugger/model/viewport';
import { positionTicks } from '@/components/plot/plot-scale';

export interface StageTick {
  readonly at: number;
  readonly words: string;
}

/** One y scale and the stretch of the screen it holds on. */
export interface GroupFrame {
  readonly group: ScaleGroup;
  readonly left: number;
  readonly right: number;
  /** Pixels of an offset from the group's base. */
  readonly yOf: (offset: number) => number;
  readonly ticks: readonly StageTick[];
}

/** Where everything of the stage stands, in pixels. */
export interface StageFrame {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
  readonly xOf: (x: number) => number;
  readonly atPx: (px: number) => number;
  readonly view: Viewport;
  readonly groups: readonly GroupFrame[];
  readonly xTicks: readonly StageTick[];
}

export interface StageBox {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

const TICK_GAP_PX = 96;
const Y_TICK_GAP_PX = 52;
const AIR = 0.08;

/** Lays the stage out: the clock across, and for each numbering in sight a scale of what is in sight of it. */
export function stageFrame(groups: readonly ScaleGroup[], view: Viewport, axis: Axis, box: StageBox): StageFrame {
  const perPx = (view.toX - view.fromX) / Math.max(1, box.right - box.left);
  const xOf = (x: number): number => box.left + (x - view.fromX) / perPx;
  const frames = groups.flatMap((group, place): GroupFrame[] => {
    const isFirst = place === 0;
    const isLast = place === groups.length - 1;
    const left = isFirst ? box.left : Math.max(box.left, xOf(group.fromX));
    const right = isLast ? box.right : Math.min(box.right, xOf(group.toX));
    const seen = right > left ? seenBounds(group, view) : null;
    return seen === null ? [] : [groupFrame(group, left, right, seen, box)];
  });
  return {
    ...box,
    view,
    xOf,
    atPx: (px) => view.fromX + (px - box.left) * perPx,
    groups: frames,
    xTicks: xTicks(view, axis, box.right - box.left, xOf),
  };
}

function groupFrame(
  group: ScaleGroup,
  left: number,
  right: number,
  { min, max }: { min: number; max: number },
  { top, bottom }: StageBox,
): GroupFrame {
  const air = Math.max(1, (max - min) * AIR);
  const perOffset = (bottom - top) / (max - min + 2 * air);
  const yOf = (offset: number): number => bottom - (offset - min + air) * perOffset;
  const most = Math.max(2, Math.floor((bottom - top) / Y_TICK_GAP_PX));
  const [lowest, highest] = [group.base + BigInt(Math.floor(min)), group.base + BigInt(Math.ceil(max))];
  const ticks = positionTicks({ min: lowest, max: highest }, most).map((position) => ({
    at: yOf(Number(position - group.base)),
    words: shortPosition(position),
  }));
  return { group, left, right, yOf, ticks };
}

/** Long positions are shortened in the middle: their ends tell them apart. */
export function shortPosition(position: bigint): string {
  const text = String(position);
  return text.length <= 8 ? text : `${text.slice(0, 2)}…${text.slice(-5)}`;
}

/** Range of what is in sight: a line counts from the step that reaches into the view. */
function seenBounds(group: ScaleGroup, view: Viewport): { min: number; max: number } | null {
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  const see = (bounds: { min: number; max: number }): void => {
    min = Math.min(min, bounds.min);
    max = Math.max(max, bounds.max);
  };
  for (const stretch of group.stretches) {
    for (const line of [stretch.head, stretch.floor, ...stretch.clients]) see(lineBounds(line, view));
    const from = countUpTo(stretch.attemptXs, view.fromX - 1);
    for (let place = from; place < stretch.attempts.length; place++) {
      const one = stretch.attempts[place];
      if (one === undefined || one.x > view.toX) break;
      see(boundsOf([one.cursor]));
    }
  }
  return min > max ? null : { min, max };
}

function lineBounds({ xs, values }: StepLine, view: Viewport): { min: number; max: number } {
  return boundsOf(values, Math.max(0, countUpTo(xs, view.fromX) - 1), countUpTo(xs, view.toX));
}

function xTicks(view: Viewport, axis: Axis, width: number, xOf: (x: number) => number): StageTick[] {
  const most = Math.max(2, Math.floor(width / TICK_GAP_PX));
  if (axis === 'time') {
    const ticks = timeTicks(view.fromX, view.toX, most);
    return ticks.map((value) => ({ at: xOf(value), words: tickWords(value, ticks) }));
  }
  const step = Math.max(1, Math.ceil((view.toX - view.fromX) / most));
  const ticks: StageTick[] = [];
  for (let value = Math.max(0, Math.ceil(view.fromX / step) * step); value <= view.toX; value += step)
    ticks.push({ at: xOf(value), words: String(value + 1) });
  return ticks;
}
