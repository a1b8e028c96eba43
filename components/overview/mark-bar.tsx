import { markColour, markSoftColour } from '@/components/verdict-mark/mark-style';
import type { Mark } from '@/lib/resume/mark';

export interface BarBox {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

const PATTERN = 'bar-unverifiable';
/** An over-refusal is hollow where there is room to see that. */
const HOLLOW_FROM = 5;

/** Hatch of the bars that carry no verdict: never drawn as if they were zero or a kind of success. */
export function UnverifiablePattern() {
  return (
    <pattern id={PATTERN} width={4} height={4} patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
      <line x1={0} y1={0} x2={0} y2={4} stroke={markColour('unverifiable')} strokeWidth={2} />
    </pattern>
  );
}

/** One segment of a bar, in the colour and the pattern of its mark. */
export function MarkBar({ mark, box }: { readonly mark: Mark; readonly box: BarBox | null }) {
  if (box === null || !(box.height > 0) || !(box.width > 0)) return null;
  const { x, y, width, height } = box;
  if (mark === 'unverifiable') return <rect x={x} y={y} width={width} height={height} fill={`url(#${PATTERN})`} />;
  if (mark === 'over_refusal' && height >= HOLLOW_FROM && width >= 4) {
    return (
      <rect
        x={x + 0.6}
        y={y + 0.6}
        width={width - 1.2}
        height={height - 1.2}
        fill={markSoftColour(mark)}
        stroke={markColour(mark)}
        strokeWidth={1.2}
      />
    );
  }
  const opacity = mark === 'resumed' ? 0.76 : mark === 'fresh' ? 0.6 : 1;
  return <rect x={x} y={y} width={width} height={height} fill={markColour(mark)} opacity={opacity} />;
}
