import type { Lane, LaneSpan, LaneTick, Tone } from '@/components/debugger/model/lane';
import type { StageFrame } from '@/components/debugger/model/stage-frame';
import type { Brush } from '@/components/debugger/stage/brush';

export const LANE_PX = 27;
/** Room that words need before the next tick of their lane. Pixels. */
const WORDS_GAP_PX = 8;

/** The clock between the plot and the lanes, and the lanes. */
export function drawLanes(brush: Brush, frame: StageFrame, lanes: readonly Lane[], top: number, unit: string): void {
  const { ink } = brush;
  for (const { at, words } of frame.xTicks) {
    if (at < frame.left || at > frame.right) continue;
    brush.words(words, at, top - 8, { colour: ink.faint, isMono: true, size: 10.5, align: 'center' });
  }
  brush.words(unit, 0, top - 8, { colour: ink.faint, size: 10.5 });
  for (const [place, lane] of lanes.entries()) {
    const y = top + place * LANE_PX;
    brush.line(0, y + 0.5, frame.right + 56, y + 0.5, ink.line);
    brush.words(lane.name, 0, y + 17.5, { colour: ink.text });
    brush.ctx.save();
    brush.ctx.beginPath();
    brush.ctx.rect(frame.left - 1, y, frame.right - frame.left + 60, LANE_PX);
    brush.ctx.clip();
    drawSpans(brush, frame, lane.spans, y);
    drawTicks(brush, frame, lane.ticks, y);
    brush.ctx.restore();
  }
}

function drawSpans(brush: Brush, frame: StageFrame, spans: readonly LaneSpan[], y: number): void {
  const { ctx } = brush;
  let drawnTo = Number.NEGATIVE_INFINITY;
  for (const span of spans) {
    const left = Math.max(frame.left, frame.xOf(span.fromX));
    const right = Math.min(frame.right, frame.xOf(span.toX));
    if (right < frame.left || left > frame.right || (right - left < 1 && right - drawnTo < 1)) continue;
    drawnTo = right;
    const width = Math.max(2, right - left);
    const look = toneLook(brush, span.tone);
    ctx.fillStyle = look.ground;
    if (span.isDashed) brush.line(left, y + 14.5, right, y + 14.5, brush.ink.faint, 1, [2, 3]);
    else {
      const box = new Path2D();
      box.roundRect(left + 0.5, y + 5.5, width, LANE_PX - 10, 3);
      ctx.fill(box);
      brush.stroke(look.edge, 1, [], box);
    }
    spanWords(brush, span, left, width, y, look.text);
  }
}

/** Words of a span where they fit, shortened to its name where only that does. */
function spanWords(brush: Brush, { words, isDashed }: LaneSpan, left: number, width: number, y: number, colour: string): void {
  const room = width - 12;
  const [first = ''] = words.split(' ');
  const text = brush.widthOf(words) <= room ? words : brush.widthOf(first) <= room ? first : '';
  if (text !== '') brush.words(text, left + 6, y + 18, { colour, hasHalo: isDashed });
}

function drawTicks(brush: Brush, frame: StageFrame, ticks: readonly LaneTick[], y: number): void {
  let drawn = { x: Number.NEGATIVE_INFINITY, tone: '' };
  for (let place = firstSeen(ticks, frame.view.fromX); place < ticks.length; place++) {
    const tick = ticks[place];
    if (tick === undefined || tick.x > frame.view.toX) break;
    const x = frame.xOf(tick.x);
    // A tick on the same pixel as its like adds nothing that can be seen.
    if (x - drawn.x < 0.75 && drawn.tone === tick.tone && tick.shape === 'tick') continue;
    drawn = { x, tone: tick.tone };
    drawTick(brush, tick, x, y);
    const next = ticks[place + 1];
    const room = (next === undefined ? frame.right + 56 : frame.xOf(next.x)) - x - 2 * WORDS_GAP_PX;
    if (tick.words !== '' && brush.widthOf(tick.words) <= room)
      brush.words(tick.words, x + WORDS_GAP_PX + 2, y + 18, { colour: toneLook(brush, tick.tone).text, hasHalo: true });
  }
}

function firstSeen(ticks: readonly LaneTick[], fromX: number): number {
  let low = 0;
  let high = ticks.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ticks[middle]?.x ?? 0) < fromX) low = middle + 1;
    else high = middle;
  }
  return low;
}

function drawTick(brush: Brush, { shape, tone }: LaneTick, at: number, y: number): void {
  const { ink } = brush;
  const x = Math.round(at) + 0.5;
  const middle = y + 13.5;
  switch (shape) {
    case 'tick':
      brush.line(x, y + 7, x, y + 20, tone === 'unsafe_resume' ? ink.marks.unsafe_resume.mark : ink.floor, 1.2);
      return;
    case 'evict':
      brush.line(x - 4, y + 7.5, x + 4, y + 7.5, ink.strong, 1.6);
      brush.line(x, y + 7, x, y + 21, ink.strong, 1.6);
      return;
    case 'cut':
      brush.line(x - 3.5, middle - 3.5, x + 3.5, middle + 3.5, ink.strong, 1.6);
      brush.line(x - 3.5, middle + 3.5, x + 3.5, middle - 3.5, ink.strong, 1.6);
      return;
    case 'flag':
      brush.line(x, y + 5, x, y + 22, ink.strong, 1.2);
      brush.ctx.beginPath();
      brush.ctx.rect(x, y + 5, 6, 5);
      brush.ctx.fillStyle = ink.strong;
      brush.ctx.fill();
      return;
    case 'mark':
      if (tone !== 'plain' && tone !== 'quiet') brush.mark(tone, x, middle, 10);
  }
}

function toneLook({ ink }: Brush, tone: Tone): { readonly ground: string; readonly edge: string; readonly text: string } {
  if (tone === 'plain') return { ground: ink.lane, edge: ink.edge, text: ink.strong };
  if (tone === 'quiet') return { ground: ink.lane, edge: ink.line, text: ink.text };
  const { mark, soft, text } = ink.marks[tone];
  return { ground: soft, edge: mark, text };
}
