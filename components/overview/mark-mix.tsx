import { countOf, formatCount } from '@/components/format/count';
import { MARK_STYLE, markColour } from '@/components/verdict-mark/mark-style';
import { MARKS, type Mark } from '@/lib/resume/mark';

/** What cannot be judged is hatched here as in every chart. */
const HATCH = `repeating-linear-gradient(45deg, ${markColour('unverifiable')} 0 2px, transparent 2px 4px)`;

/** The verdict mix of something in one line, faults first; the numbers are in its label. */
export function MarkMix({ marks, width = 84 }: { readonly marks: Readonly<Record<Mark, number>>; readonly width?: number }) {
  const total = MARKS.reduce((sum, mark) => sum + marks[mark], 0);
  const present = MARKS.filter((mark) => marks[mark] > 0);
  const label = `${countOf(total, 'attempt')}: ${present.map((mark) => `${MARK_STYLE[mark].word} ${formatCount(marks[mark])}`).join(', ')}`;
  return (
    <span role="img" aria-label={label} title={label} style={{ display: 'flex', gap: 1, width, height: 8 }}>
      {present.map((mark) => (
        <i
          key={mark}
          style={{
            flexGrow: marks[mark] / total,
            minWidth: 2,
            background: mark === 'unverifiable' ? HATCH : markColour(mark),
            opacity: mark === 'fresh' ? 0.5 : mark === 'resumed' ? 0.76 : 1,
          }}
        />
      ))}
    </span>
  );
}
