import { countOf, formatCount } from '@/components/format/count';
import { timeOfDay } from '@/components/format/instant';
import { zoneName } from '@/components/format/zone';
import css from '@/components/overview/attempts-chart.module.css';
import type { Bar } from '@/components/overview/attempts-over-time';
import { stepWords } from '@/components/time-range/time-range';
import { MARK_STYLE } from '@/components/verdict-mark/mark-style';
import { VerdictMark } from '@/components/verdict-mark/verdict-mark';
import { MARKS } from '@/lib/resume/mark';

interface ChartTipProps {
  readonly isShown: boolean;
  readonly bar: Bar | undefined;
  readonly stepS: number;
  readonly isBlind: boolean;
}

/** What one bar holds: its marks in the order of the stack, and what was lost in one sentence. */
export function ChartTip({ isShown, bar, stepS, isBlind }: ChartTipProps) {
  if (!isShown || bar === undefined) return null;
  const present = MARKS.filter((mark) => bar[mark] > 0);
  return (
    <div className={css['tip']}>
      <div className={css['tipHead']}>
        {timeOfDay(bar.at, stepS < 60 ? 's' : 'min')} {zoneName(bar.at)} <span>{stepWords(stepS)}</span>
      </div>
      {present.map((mark) => (
        <div key={mark} className={css['tipRow']}>
          <VerdictMark mark={mark} />
          {MARK_STYLE[mark].word}
          <b>{formatCount(bar[mark])}</b>
        </div>
      ))}
      {present.length === 0 && <div className={css['tipRow']}>No attempt</div>}
      {isBlind && <div className={css['tipFoot']}>Telemetry is missing: at least this many</div>}
      {bar.lost > 0 && <div className={css['tipFoot']}>{countOf(bar.lost, 'event')} lost</div>}
    </div>
  );
}
