import { countUpTo } from '@/components/debugger/model/history';
import { UNPLACED_PX } from '@/components/debugger/model/hit';
import type { PlottedAttempt, StretchLines } from '@/components/debugger/model/plot-lines';
import type { GroupFrame, StageFrame } from '@/components/debugger/model/stage-frame';
import type { Brush } from '@/components/debugger/stage/brush';
import { formatCount } from '@/components/format/count';

/** Attempts in sight beyond which they are drawn as bare marks, one per few pixels. */
const WHOLE_ATTEMPTS_MAX = 400;
/** Nearer than this to its neighbour, an attempt has no words of its own. Pixels. */
const WORDS_PX = 150;

/** The attempts of a stretch that are in sight. */
export function drawAttempts(brush: Brush, frame: StageFrame, group: GroupFrame, stretch: StretchLines): void {
  const from = countUpTo(stretch.attemptXs, frame.view.fromX - 1);
  const to = countUpTo(stretch.attemptXs, frame.view.toX);
  const isCrowded = to - from > WHOLE_ATTEMPTS_MAX;
  const drawn = new Set<string>();
  for (let place = from; place < to; place++) {
    const one = stretch.attempts[place];
    if (one === undefined) continue;
    if (Number.isNaN(one.cursor)) {
      drawUnplaced(brush, frame, one, false);
      continue;
    }
    const [x, y] = [frame.xOf(one.x), group.yOf(one.cursor)];
    if (isCrowded) {
      const cell = `${Math.round(x / 4)} ${Math.round(y / 4)} ${one.attempt.mark}`;
      if (!drawn.has(cell)) brush.mark(one.attempt.mark, x, y, 8);
      drawn.add(cell);
      continue;
    }
    const neighbour = Math.min(distance(stretch, place, -1, frame), distance(stretch, place, 1, frame));
    drawAttempt(brush, frame, group, one, { isSelected: false, hasWords: neighbour >= WORDS_PX });
  }
}

/** The selected attempt, on a layer of its own: to select another one must not draw the whole picture anew. */
export function drawSelected(brush: Brush, frame: StageFrame, selected: string): void {
  for (const group of frame.groups) {
    for (const { attempts } of group.group.stretches) {
      const one = attempts.find(({ attempt }) => attempt.key === selected);
      if (one === undefined || one.x < frame.view.fromX - 1 || one.x > frame.view.toX) continue;
      if (Number.isNaN(one.cursor)) drawUnplaced(brush, frame, one, true);
      else drawAttempt(brush, frame, group, one, { isSelected: true, hasWords: true });
      return;
    }
  }
}

/** An attempt whose cursor could not be placed stands at the foot of the plot: it has a moment, and no position. */
function drawUnplaced(brush: Brush, frame: StageFrame, { attempt, x: atX }: PlottedAttempt, isSelected: boolean): void {
  const [x, y] = [frame.xOf(atX), frame.bottom - UNPLACED_PX];
  brush.mark(attempt.mark, x, y, isSelected ? 12 : 9);
  if (isSelected) brush.words('cursor not placed', x + 12, y + 4, { colour: brush.ink.text, hasHalo: true });
}

function distance({ attempts }: StretchLines, place: number, by: 1 | -1, { xOf }: StageFrame): number {
  const [one, other] = [attempts[place], attempts[place + by]];
  return one === undefined || other === undefined ? Number.POSITIVE_INFINITY : Math.abs(xOf(one.x) - xOf(other.x));
}

interface AttemptLook {
  readonly isSelected: boolean;
  readonly hasWords: boolean;
}

function drawAttempt(
  brush: Brush,
  frame: StageFrame,
  group: GroupFrame,
  { attempt, x: atX, cursor }: PlottedAttempt,
  look: AttemptLook,
): void {
  const { ctx, ink } = brush;
  const { mark, replay, gaps } = attempt;
  const [x, y] = [frame.xOf(atX), group.yOf(cursor)];
  const isUnsafe = mark === 'unsafe_resume' || mark === 'bad_replay';
  // Replayed events of another history are no success: they are drawn broken, in the colour of the fault.
  const isForeign = isUnsafe && gaps.length === 0;
  const yOf = (position: bigint): number => group.yOf(Number(position - group.group.base));
  if (replay !== null) {
    const colour = ink.marks[isForeign ? mark : 'resumed'].mark;
    brush.line(x, yOf(replay.first), x, yOf(replay.last), colour, 2.5, isForeign ? [2, 1.6] : []);
  }
  const tone = ink.marks[isUnsafe ? 'unsafe_resume' : 'refused'];
  for (const gap of gaps.slice(0, 200)) {
    const top = yOf(gap.last) - 2;
    const height = Math.max(3, yOf(gap.first) + 2 - top);
    ctx.fillStyle = tone.soft;
    ctx.fillRect(x - 5, top, 10, height);
    brush.hatch(x - 5, top, 10, height, tone.mark, 5, 2);
    ctx.beginPath();
    ctx.rect(x - 5, top, 10, height);
    brush.stroke(tone.mark, 1);
  }
  if (mark === 'over_refusal') brush.line(x, y, x, frame.top, ink.marks[mark].mark, 1, [1.5, 2.5]);
  const size = look.isSelected ? 11 : 9;
  ctx.beginPath();
  ctx.arc(x, y, size - 1, 0, 2 * Math.PI);
  ctx.fillStyle = ink.ground;
  ctx.fill();
  brush.stroke(ink.marks[mark].mark, look.isSelected ? 2 : 1);
  brush.mark(mark, x, y + (mark === 'unsafe_resume' ? -0.5 : 0), size);
  if (look.hasWords) attemptWords(brush, frame, { attempt, x, y, yOf, isForeign });
}

interface WordsParts {
  readonly attempt: PlottedAttempt['attempt'];
  readonly x: number;
  readonly y: number;
  readonly yOf: (position: bigint) => number;
  readonly isForeign: boolean;
}

function attemptWords(brush: Brush, frame: StageFrame, { attempt, x, y, yOf, isForeign }: WordsParts): void {
  const { ink } = brush;
  const { mark, replay, gaps, gapCount, conn, cursor } = attempt;
  const isLate = x > frame.left + (frame.right - frame.left) * 0.7;
  const side = { align: isLate ? 'right' : 'left', hasHalo: true } as const;
  const at = isLate ? x - 13 : x + 13;
  const [gap] = gaps;
  const middle = (first: bigint, last: bigint): number => (yOf(first) + yOf(last)) / 2 + 4;
  if (gap !== undefined && gapCount !== null) {
    const words = `${formatCount(gapCount)} ${mark === 'unsafe_resume' ? 'never sent' : 'missing'}`;
    brush.words(words, at, middle(gap.first, gap.last), { ...side, colour: ink.marks[mark].text, isStrong: true, size: 12 });
  }
  if (replay !== null) {
    const words = `${formatCount(replay.last - replay.first + 1n)} ${isForeign ? 'of another history' : 'replayed'}`;
    brush.words(words, at, middle(replay.first, replay.last), {
      ...side,
      colour: ink.marks[isForeign ? mark : 'resumed'].text,
      isStrong: true,
    });
  }
  const room = frame.bottom - y;
  const below = room > 34 ? y + 22 : y - 22;
  brush.words(`${conn ?? 'attempt'}, cursor ${cursor}`, at, below, { ...side, colour: ink.text });
}
