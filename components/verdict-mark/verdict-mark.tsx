import { MarkShape } from '@/components/verdict-mark/mark-shape';
import { MARK_STYLE, markColour } from '@/components/verdict-mark/mark-style';
import type { Mark } from '@/lib/resume/mark';

interface VerdictMarkProps {
  readonly mark: Mark;
  readonly size?: number;
  /** Set where no word stands beside the mark, so that it says its own name. */
  readonly isAlone?: boolean;
}

/** The mark of a verdict: shape and colour say the same thing. */
export function VerdictMark({ mark, size = 11, isAlone = false }: VerdictMarkProps) {
  const drawing = { viewBox: '0 0 12 12', width: size, height: size, style: { flex: 'none', color: markColour(mark) } } as const;
  if (!isAlone) {
    return (
      <svg {...drawing} aria-hidden="true">
        <MarkShape mark={mark} />
      </svg>
    );
  }
  return (
    <svg {...drawing} role="img" aria-label={MARK_STYLE[mark].word}>
      <title>{MARK_STYLE[mark].word}</title>
      <MarkShape mark={mark} />
    </svg>
  );
}
