import type { Ink } from '@/components/debugger/stage/ink';
import type { Mark } from '@/lib/resume/mark';

export interface WordsLook {
  readonly colour: string;
  readonly align?: CanvasTextAlign;
  readonly isMono?: boolean;
  readonly isStrong?: boolean;
  readonly hasHalo?: boolean;
  readonly size?: number;
}

/** What everything on the stage is drawn with: the product's marks, hatches and lettering on a canvas. */
export class Brush {
  constructor(
    readonly ctx: CanvasRenderingContext2D,
    readonly ink: Ink,
  ) {}

  line(fromX: number, fromY: number, toX: number, toY: number, colour: string, width = 1, dash: readonly number[] = []): void {
    const { ctx } = this;
    ctx.beginPath();
    ctx.moveTo(fromX, fromY);
    ctx.lineTo(toX, toY);
    this.stroke(colour, width, dash);
  }

  /** Strokes the current path, or the one given. */
  stroke(colour: string, width = 1, dash: readonly number[] = [], path?: Path2D): void {
    const { ctx } = this;
    ctx.strokeStyle = colour;
    ctx.lineWidth = width;
    ctx.setLineDash([...dash]);
    if (path === undefined) ctx.stroke();
    else ctx.stroke(path);
    ctx.setLineDash([]);
  }

  words(text: string, x: number, y: number, look: WordsLook): void {
    const { ctx, ink } = this;
    ctx.font = `${look.isStrong === true ? 500 : 400} ${look.size ?? 11}px ${look.isMono === true ? ink.mono : ink.sans}`;
    ctx.textAlign = look.align ?? 'left';
    if (look.hasHalo === true) {
      ctx.lineJoin = 'round';
      ctx.strokeStyle = ink.halo;
      ctx.lineWidth = 4;
      ctx.strokeText(text, x, y);
    }
    ctx.fillStyle = look.colour;
    ctx.fillText(text, x, y);
  }

  widthOf(text: string, isMono = false): number {
    this.ctx.font = `400 11px ${isMono ? this.ink.mono : this.ink.sans}`;
    return this.ctx.measureText(text).width;
  }

  /** Diagonal lines inside a box; what is missing is never a plain area. */
  hatch(left: number, top: number, width: number, height: number, colour: string, gap = 5, weight = 1.1): void {
    const { ctx } = this;
    ctx.save();
    ctx.beginPath();
    ctx.rect(left, top, width, height);
    ctx.clip();
    ctx.beginPath();
    // Lines stand on a grid of the whole canvas, so that neighbouring boxes are hatched as one.
    const from = Math.floor((left - height) / gap) * gap - (top % gap);
    for (let x = from; x < left + width + gap; x += gap) {
      ctx.moveTo(x, top + height);
      ctx.lineTo(x + height, top);
    }
    this.stroke(colour, weight);
    ctx.restore();
  }

  /** The mark of a verdict around a point, in the shapes of `MarkShape`. */
  mark(mark: Mark, x: number, y: number, size = 11): void {
    const { ctx } = this;
    const shape = MARK_PATHS[mark];
    const colour = this.ink.marks[mark].mark;
    ctx.save();
    ctx.translate(x - size / 2, y - size / 2);
    ctx.scale(size / 12, size / 12);
    ctx.fillStyle = colour;
    if (shape.fill !== undefined) ctx.fill(new Path2D(shape.fill));
    if (shape.stroke !== undefined) this.stroke(colour, shape.width ?? 1.4, [], new Path2D(shape.stroke));
    ctx.restore();
  }
}

interface MarkPath {
  readonly fill?: string;
  readonly stroke?: string;
  readonly width?: number;
}

const circle = (radius: number): string =>
  `M${6 - radius} 6a${radius} ${radius} 0 1 0 ${2 * radius} 0a${radius} ${radius} 0 1 0 ${-2 * radius} 0Z`;

/** The drawings of `MarkShape` as paths in the same 12 × 12 box. */
const MARK_PATHS: Readonly<Record<Mark, MarkPath>> = {
  unsafe_resume: { fill: 'M6 .9 11.5 10.6H.5Z' },
  bad_replay: { fill: 'M6 .8V11.2L.8 6Z', stroke: 'M6 .8 11.2 6 6 11.2.8 6Z' },
  over_refusal: { stroke: 'M2.4 2.4h7.2v7.2h-7.2Z', width: 1.8 },
  refused: { fill: 'M1.75 1.75h8.5v8.5h-8.5Z' },
  resumed: { fill: circle(4.5) },
  fresh: { fill: circle(2.2) },
  unverifiable: { stroke: `${circle(4.4)}M2.6 7.2 7.2 2.6M3.6 9.6 9.6 3.6M4.9 10.2 10.2 4.9`, width: 1.1 },
};
