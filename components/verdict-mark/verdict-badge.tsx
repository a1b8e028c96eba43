import { cx } from '@/components/ui/cx';
import { MARK_STYLE, markSoftColour, markTextColour } from '@/components/verdict-mark/mark-style';
import css from '@/components/verdict-mark/verdict-badge.module.css';
import { VerdictMark } from '@/components/verdict-mark/verdict-mark';
import type { Mark } from '@/lib/resume/mark';

interface VerdictBadgeProps {
  readonly mark: Mark;
  /** Words beside the mark; the mark's own by default. */
  readonly words?: string;
  /** `box` on a soft ground; `row` for a dense table, where safe and fresh stay quiet. */
  readonly look?: 'plain' | 'box' | 'row';
}

/** Mark and word: the only way a verdict is named on a screen. */
export function VerdictBadge({ mark, words, look = 'plain' }: VerdictBadgeProps) {
  const isQuiet = look === 'row' && (mark === 'resumed' || mark === 'fresh');
  const colours =
    look === 'box'
      ? { color: markTextColour(mark), background: markSoftColour(mark) }
      : { color: isQuiet ? 'var(--text-2)' : markTextColour(mark) };
  return (
    <span className={cx(css['badge'], look === 'box' && css['box'], isQuiet && css['quiet'])} style={colours}>
      <VerdictMark mark={mark} />
      {words ?? MARK_STYLE[mark].word}
    </span>
  );
}
