import type { Stretch } from '@/components/plot/plot-data';
import type { PlotFrame } from '@/components/plot/plot-frame';
import { bandPath, stepPath } from '@/components/plot/plot-paths';
import css from '@/components/plot/position-plot.module.css';

interface StretchViewProps {
  readonly stretch: Stretch;
  readonly frame: PlotFrame;
  readonly holeHatch: string;
  /** The newest generation is drawn in the accent, those it replaced in grey. */
  readonly isNewest: boolean;
  readonly isFirst: boolean;
  readonly isMini: boolean;
}

/** One generation: its ground, the retained band, holes, head and floor, and the boundary that began it. */
export function StretchView({ stretch, frame, holeHatch, isNewest, isFirst, isMini }: StretchViewProps) {
  const { xOf, top, bottom } = frame;
  const yOf = frame.scaleAt(stretch.fromX);
  const from = isFirst ? frame.left : xOf(stretch.fromX);
  const end = isNewest ? frame.right : xOf(stretch.toX);
  const holeEnd = (x: number) => (x === stretch.toX ? end : xOf(x));
  return (
    <g>
      {!isFirst && <Boundary stretch={stretch} x={from} top={top} bottom={bottom} isMini={isMini} />}
      <path d={bandPath(stretch.log, end, xOf, yOf)} fill={isNewest ? 'var(--p-band)' : 'var(--p-band-2)'} />
      {stretch.holes.map((hole) => {
        const [y0, y1] = [yOf(hole.range.last + 1n) + 1, yOf(hole.range.first - 1n) - 1];
        const x = xOf(hole.fromX);
        return (
          <g key={`${hole.range.first}-${hole.fromX}`}>
            <rect x={x} y={y0} width={Math.max(1, holeEnd(hole.toX) - x)} height={Math.max(1, y1 - y0)} fill="var(--p-halo)" />
            <rect
              x={x}
              y={y0}
              width={Math.max(1, holeEnd(hole.toX) - x)}
              height={Math.max(1, y1 - y0)}
              fill={`url(#${holeHatch})`}
              stroke="var(--p-hole)"
              strokeWidth={0.8}
              opacity={0.75}
            />
          </g>
        );
      })}
      <path d={stepPath(stretch.log, 'floor', end, xOf, yOf)} fill="none" stroke="var(--p-floor)" strokeWidth={1.3} />
      <path
        d={stepPath(stretch.log, 'head', end, xOf, yOf)}
        fill="none"
        stroke={isNewest ? 'var(--p-head)' : 'var(--p-floor)'}
        strokeWidth={1.6}
        strokeLinejoin="round"
      />
      {!isMini && isFirst && stretch.generation !== null && (
        <text x={frame.left} y={12}>
          generation {stretch.generation}
        </text>
      )}
    </g>
  );
}

interface BoundaryProps {
  readonly stretch: Stretch;
  readonly x: number;
  readonly top: number;
  readonly bottom: number;
  readonly isMini: boolean;
}

function Boundary({ stretch, x, top, bottom, isMini }: BoundaryProps) {
  const head = isMini ? top : top - 12;
  return (
    <>
      <path d={`M${x} ${head}V${bottom}`} stroke="var(--text-1)" strokeWidth={1.2} strokeDasharray="5 3" />
      {!isMini && (
        <>
          <text x={x + 5} y={12} className={css['strong']}>
            generation {stretch.generation ?? 'unlabelled'}
          </text>
          {stretch.cause !== null && (
            <text x={x + 5} y={25}>
              {stretch.cause}
            </text>
          )}
        </>
      )}
    </>
  );
}
