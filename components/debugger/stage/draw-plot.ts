import { countUpTo } from '@/components/debugger/model/history';
import type { ClientLine, StepLine, StretchLines } from '@/components/debugger/model/plot-lines';
import type { GroupFrame, StageFrame } from '@/components/debugger/model/stage-frame';
import type { Brush } from '@/components/debugger/stage/brush';
import { drawAttempts } from '@/components/debugger/stage/draw-attempts';

/** Shorter than this, an absence has no words. Pixels. */
const AWAY_WORDS_PX = 110;

/** The position plot of what is in sight. The newest generation is drawn in the accent, those before it in grey. */
export function drawPlot(brush: Brush, frame: StageFrame, newest: StretchLines | undefined): void {
  drawGrid(brush, frame);
  for (const group of frame.groups) {
    brush.ctx.save();
    brush.ctx.beginPath();
    brush.ctx.rect(group.left, frame.top - 28, group.right - group.left, frame.bottom - frame.top + 30);
    brush.ctx.clip();
    for (const stretch of group.group.stretches) drawStretch(brush, frame, group, stretch, stretch === newest);
    brush.ctx.restore();
  }
  for (const group of frame.groups) {
    for (const stretch of group.group.stretches) drawAttempts(brush, frame, group, stretch);
  }
  drawEnds(brush, frame, newest);
}

function drawGrid(brush: Brush, { left, right, top, bottom, groups, xTicks }: StageFrame): void {
  const { ink } = brush;
  for (const tick of xTicks) {
    const x = Math.round(tick.at) + 0.5;
    if (x >= left && x <= right) brush.line(x, top - 6, x, bottom, ink.grid);
  }
  for (const [place, group] of groups.entries()) {
    // The first scale stands in the gutter, that of a later numbering inside the plot where it begins.
    const look = place === 0 ? ({ x: left - 8, align: 'right' } as const) : ({ x: group.left + 5, align: 'left', hasHalo: true } as const);
    for (const { at, words } of group.ticks) {
      if (at < top - 2 || at > bottom - 4) continue;
      brush.line(group.left, Math.round(at) + 0.5, group.right, Math.round(at) + 0.5, ink.grid);
      brush.words(words, look.x, at + 3.5, { ...look, colour: ink.faint, isMono: true, size: 10.5 });
    }
  }
  brush.line(left, bottom + 0.5, right, bottom + 0.5, ink.axis);
  brush.words('position', left - 8, 14, { colour: ink.faint, align: 'right', size: 10.5 });
}

function drawStretch(brush: Brush, frame: StageFrame, group: GroupFrame, stretch: StretchLines, isNewest: boolean): void {
  const { ink, ctx } = brush;
  const end = isNewest ? frame.right : frame.xOf(stretch.toX);
  const head = thinned(stretch.head, frame, end);
  const floor = thinned(stretch.floor, frame, end);
  ctx.fillStyle = isNewest ? ink.band : ink.olderBand;
  ctx.fill(bandOf(head, floor, group));
  for (const hole of stretch.holes) {
    const left = frame.xOf(hole.fromX);
    const right = Math.min(end, hole.toX === stretch.toX ? end : frame.xOf(hole.toX));
    if (right < frame.left || left > frame.right) continue;
    const [top, bottom] = [group.yOf(hole.last + 1) + 1, group.yOf(hole.first - 1) - 1];
    const box = [left, top, Math.max(1, right - left), Math.max(1, bottom - top)] as const;
    ctx.fillStyle = ink.halo;
    ctx.fillRect(...box);
    brush.hatch(...box, ink.hole);
    ctx.beginPath();
    ctx.rect(...box);
    brush.stroke(ink.hole, 0.8);
  }
  brush.stroke(ink.floor, 1.3, [], pathOf(floor, group));
  brush.stroke(isNewest ? ink.head : ink.floor, 1.6, [], pathOf(head, group));
  for (const client of stretch.clients) drawClient(brush, frame, group, client);
  drawBoundary(brush, frame, stretch);
}

function drawBoundary(brush: Brush, { xOf, left, top, bottom }: StageFrame, stretch: StretchLines): void {
  const { ink } = brush;
  const x = Math.round(xOf(stretch.fromX)) + 0.5;
  const name = stretch.generation === null ? 'one numbering, unlabelled' : `generation ${stretch.generation}`;
  const at = Math.max(left, x);
  if (stretch.cause !== null) {
    brush.line(x, top - 24, x, bottom, ink.strong, 1.2, [5, 3]);
    brush.words(stretch.cause, at + 6, top - 3, { colour: ink.text, hasHalo: true });
  }
  brush.words(name, at + 6, top - 16, {
    colour: stretch.cause === null ? ink.faint : ink.strong,
    isStrong: stretch.cause !== null,
    hasHalo: true,
  });
}

interface ThinLine {
  /** Where each piece begins and ends, and its value; NaN where nothing is known. */
  readonly pieces: readonly { readonly from: number; readonly to: number; readonly value: number }[];
}

/** What is in sight of a line, steps nearer than half a pixel joined: only the last of them can be seen. */
function thinned({ xs, values }: StepLine, { view, xOf, left, right }: StageFrame, end: number): ThinLine {
  const pieces: { from: number; to: number; value: number }[] = [];
  const first = Math.max(0, countUpTo(xs, view.fromX) - 1);
  const last = countUpTo(xs, view.toX);
  for (let place = first; place < last; place++) {
    const from = Math.max(left - 2, xOf(xs[place] ?? 0));
    const next = place + 1 < xs.length ? xOf(xs[place + 1] ?? 0) : end;
    const value = values[place] ?? Number.NaN;
    const before = pieces.at(-1);
    if (before !== undefined && next - from < 0.5 && !Number.isNaN(value)) {
      before.to = next;
      before.value = value;
    } else pieces.push({ from, to: Math.min(right + 2, next), value });
  }
  return { pieces };
}

function pathOf({ pieces }: ThinLine, { yOf }: GroupFrame): Path2D {
  const path = new Path2D();
  let isDrawn = false;
  for (const { from, to, value } of pieces) {
    if (Number.isNaN(value)) {
      isDrawn = false;
      continue;
    }
    const y = yOf(value);
    if (isDrawn) path.lineTo(from, y);
    else path.moveTo(from, y);
    path.lineTo(to, y);
    isDrawn = true;
  }
  return path;
}

/** The retained band: the head's pieces on top, the floor's below, each clipped to where both are known. */
function bandOf(head: ThinLine, floor: ThinLine, { yOf }: GroupFrame): Path2D {
  const path = new Path2D();
  let place = 0;
  for (const top of head.pieces) {
    while (place < floor.pieces.length && (floor.pieces[place]?.to ?? 0) <= top.from) place += 1;
    for (let below = place; below < floor.pieces.length; below++) {
      const bottom = floor.pieces[below];
      if (bottom === undefined || bottom.from >= top.to) break;
      if (Number.isNaN(top.value) || Number.isNaN(bottom.value) || bottom.value > top.value) continue;
      const [from, to] = [Math.max(top.from, bottom.from), Math.min(top.to, bottom.to)];
      path.rect(from, yOf(top.value), to - from, yOf(bottom.value) - yOf(top.value));
    }
  }
  return path;
}

/** What a client holds: dotted while it is attached, dashed while it is away. */
function drawClient(brush: Brush, frame: StageFrame, group: GroupFrame, line: ClientLine): void {
  const [attached, away] = [new Path2D(), new Path2D()];
  let longest: { readonly x: number; readonly width: number; readonly value: number } = { x: 0, width: AWAY_WORDS_PX, value: Number.NaN };
  for (const { x, next, value, nextValue, isAway } of clientPieces(line, frame)) {
    const [y, nextY] = [group.yOf(value), group.yOf(nextValue)];
    const path = isAway ? away : attached;
    path.moveTo(x, y);
    path.lineTo(next, y);
    if (!isAway) path.lineTo(next, nextY);
    else if (next - x > longest.width) longest = { x, width: next - x, value };
  }
  brush.stroke(brush.ink.client, 1.4, [1.5, 2], attached);
  brush.stroke(brush.ink.client, 1.5, [4, 3], away);
  if (Number.isNaN(longest.value)) return;
  const words = `client has ${group.group.base + BigInt(longest.value)}`;
  brush.words(words, longest.x + 8, group.yOf(longest.value) - 6, { colour: brush.ink.strong, hasHalo: true });
}

interface ClientPiece {
  readonly x: number;
  readonly next: number;
  readonly value: number;
  readonly nextValue: number;
  readonly isAway: boolean;
}

/** The pieces in sight; those that neither last a quarter of a pixel nor move are left out. */
function* clientPieces({ xs, values, isAway }: ClientLine, { view, left, right, xOf }: StageFrame): Generator<ClientPiece> {
  const first = Math.max(0, countUpTo(xs, view.fromX) - 1);
  const last = Math.min(xs.length - 1, countUpTo(xs, view.toX));
  for (let place = first; place < last; place++) {
    const [x, next] = [Math.max(left, xOf(xs[place] ?? 0)), Math.min(right, xOf(xs[place + 1] ?? 0))];
    const [value, nextValue] = [values[place] ?? 0, values[place + 1] ?? 0];
    if (next - x >= 0.25 || value !== nextValue) yield { x, next, value, nextValue, isAway: isAway[place] === true };
  }
}

/** Head and floor at the right end, by name and number. */
function drawEnds(brush: Brush, frame: StageFrame, newest: StretchLines | undefined): void {
  const group = frame.groups.at(-1);
  if (newest === undefined || group === undefined || !group.group.stretches.includes(newest)) return;
  const valueIn = ({ xs, values }: StepLine): number => values[countUpTo(xs, frame.view.toX) - 1] ?? Number.NaN;
  const [head, floor] = [valueIn(newest.head), valueIn(newest.floor)];
  const [headY, floorY] = [group.yOf(head), group.yOf(floor)];
  const apart = Math.abs(floorY - headY) < 30 ? 15 : 0;
  for (const [name, value, y] of [
    ['head', head, headY - apart],
    ['floor', floor, floorY + apart],
  ] as const) {
    if (Number.isNaN(value)) continue;
    brush.words(name, frame.right + 6, y, { colour: brush.ink.strong, isStrong: true });
    brush.words(String(group.group.base + BigInt(value)), frame.right + 6, y + 12, { colour: brush.ink.faint, isMono: true, size: 10.5 });
  }
}
