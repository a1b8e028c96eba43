import { countUpTo } from '@/components/debugger/model/history';
import type { Lane, LaneSpan, LaneTick } from '@/components/debugger/model/lane';
import type { StageFrame } from '@/components/debugger/model/stage-frame';

/** What stands at a point of the stage: the place of its record, and its own few words. */
export interface Hit {
  readonly index: number;
  readonly words: string;
}

export interface HitParts {
  readonly frame: StageFrame;
  readonly lanes: readonly Lane[];
  readonly laneTop: number;
  readonly laneHeight: number;
  /** Place of the record of each attempt in the plot, by its key. */
  readonly placeOf: ReadonlyMap<string, number>;
}

const REACH_PX = 13;
const TICK_REACH_PX = 6;
/** Height above the foot of the plot at which attempts without a position stand. */
export const UNPLACED_PX = 12;

/** The fact nearest to a point, null where there is none. */
export function hitAt({ frame, lanes, laneTop, laneHeight, placeOf }: HitParts, px: number, py: number): Hit | null {
  const lane = py < laneTop ? undefined : lanes[Math.floor((py - laneTop) / laneHeight)];
  if (lane !== undefined) return laneHit(lane, frame, px);
  return py > frame.bottom ? null : attemptHit(frame, placeOf, px, py);
}

function attemptHit(frame: StageFrame, placeOf: ReadonlyMap<string, number>, px: number, py: number): Hit | null {
  let best: { readonly key: string; readonly reach: number } | null = null;
  for (const { attempt, x, y } of attemptsAround(frame, px)) {
    const reach = Math.hypot(x - px, y - py);
    if (reach <= (best?.reach ?? REACH_PX)) best = { key: attempt.key, reach };
  }
  const index = best === null ? undefined : placeOf.get(best.key);
  return index === undefined ? null : { index, words: '' };
}

/** The attempts within reach of a column, where they stand on the screen. */
function* attemptsAround({ groups, xOf, atPx, bottom }: StageFrame, px: number) {
  for (const { group, yOf } of groups) {
    for (const { attempts, attemptXs } of group.stretches) {
      const [from, to] = [countUpTo(attemptXs, atPx(px - REACH_PX) - 1), countUpTo(attemptXs, atPx(px + REACH_PX))];
      for (const { attempt, x, cursor } of attempts.slice(from, to)) {
        yield { attempt, x: xOf(x), y: Number.isNaN(cursor) ? bottom - UNPLACED_PX : yOf(cursor) };
      }
    }
  }
}

function laneHit({ spans, ticks }: Lane, frame: StageFrame, px: number): Hit | null {
  const tick = nearestTick(ticks, frame, px);
  if (tick !== null) return { index: tick.index, words: tick.words };
  const x = frame.atPx(px);
  const span = spans.findLast((one: LaneSpan) => one.fromX <= x && x <= one.toX);
  return span === undefined ? null : { index: span.index, words: span.words };
}

function nearestTick(ticks: readonly LaneTick[], { xOf }: StageFrame, px: number): LaneTick | null {
  let best: LaneTick | null = null;
  let reach = TICK_REACH_PX;
  for (const tick of ticks) {
    const distance = Math.abs(xOf(tick.x) - px);
    if (distance > reach) continue;
    best = tick;
    reach = distance;
  }
  return best;
}
