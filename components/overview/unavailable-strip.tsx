import { formatCount } from '@/components/format/count';
import type { Bar } from '@/components/overview/attempts-over-time';
import { type BarArea, stepPath } from '@/components/overview/bar-geometry';

/** Room for the words above the line, and the line's own height. Pixels. */
const WORDS_PX = 14;
const LINE_PX = 32;
export const UNAVAILABLE_PX = WORDS_PX + LINE_PX;
const STROKE = { fill: 'none', stroke: 'var(--text-1)', strokeWidth: 1.3, strokeLinejoin: 'round' } as const;
const DASHES = '3 2';

interface StripProps {
  readonly bars: readonly Bar[];
  readonly area: BarArea;
  /** Where the strip begins in the drawing, in pixels. */
  readonly top: number;
}

/**
 * Refusals of a live session's cursor per step, on a scale of their own under the bars, where a spike stands beneath
 * what happened beside it. Dark and dashed: no verdict's colour, since its attempts have different ones.
 */
export function UnavailableStrip({ bars, area, top }: StripProps) {
  const counts = bars.map(({ unavailable }) => unavailable);
  const most = Math.max(0, ...counts);
  const base = top + UNAVAILABLE_PX;
  return (
    <g data-strip="resume_unavailable">
      <text x={area.left + 2} y={top + 9}>
        resume_unavailable{most === 0 && ': 0'}
      </text>
      <path d={`M${area.left} ${base}H${area.right}`} stroke="var(--p-grid)" />
      {most > 0 && (
        <>
          <text x={area.left - 8} y={top + WORDS_PX + 6} textAnchor="end">
            {formatCount(most)}
          </text>
          <g transform={`translate(0 ${top + WORDS_PX})`}>
            <path d={stepPath(counts, area, most, LINE_PX)} fill="var(--text-1)" opacity={0.3} />
            <path d={stepPath(counts, area, most, LINE_PX)} {...STROKE} strokeDasharray={DASHES} />
          </g>
        </>
      )}
    </g>
  );
}

/** The line of the strip, for a key. */
export function UnavailableSwatch() {
  return (
    <svg width={14} height={8} aria-hidden="true">
      <path d="M0 7H4V1H9V7H14" {...STROKE} strokeDasharray={DASHES} />
    </svg>
  );
}
