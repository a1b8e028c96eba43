import { countOf, formatCount } from '@/components/format/count';
import { timeOfDay } from '@/components/format/instant';
import { zoneName } from '@/components/format/zone';
import { AnnotationGlyph } from '@/components/overview/annotation-glyph';
import { type Annotation, annotationWords } from '@/components/overview/annotation-words';
import css from '@/components/overview/attempts-chart.module.css';
import type { Bar } from '@/components/overview/attempts-over-time';
import { UnavailableSwatch } from '@/components/overview/unavailable-strip';
import { stepWords } from '@/components/time-range/time-range';
import { MARK_STYLE } from '@/components/verdict-mark/mark-style';
import { VerdictMark } from '@/components/verdict-mark/verdict-mark';
import { MARKS } from '@/lib/resume/mark';

interface ChartTipProps {
  readonly bar: Bar;
  readonly stepS: number;
  readonly isBlind: boolean;
  /** Attempts of the bar one period before; null where they are not asked for. */
  readonly before: number | null;
  /** What happened within the bar. */
  readonly annotations: readonly Annotation[];
}

const NOTES_MAX = 5;

/** What one bar holds: its marks in the order of the stack, what was lost, and what happened beside it. */
export function ChartTip({ bar, stepS, isBlind, before, annotations }: ChartTipProps) {
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
      {bar.unavailable > 0 && (
        <div className={css['tipRow']}>
          <UnavailableSwatch /> of them <code>resume_unavailable</code> <b>{formatCount(bar.unavailable)}</b>
        </div>
      )}
      {before !== null && (
        <div className={css['tipRow']}>
          one period before <b>{formatCount(before)}</b>
        </div>
      )}
      {isBlind && <div className={css['tipFoot']}>Telemetry is missing: at least this many</div>}
      {bar.lost > 0 && <div className={css['tipFoot']}>{countOf(bar.lost, 'event')} lost</div>}
      {annotations.length > 0 && (
        <div className={css['tipFoot']}>
          {annotations.slice(0, NOTES_MAX).map((one) => (
            <div key={`${one.kind} ${one.at} ${one.label}`} className={css['tipRow']}>
              <AnnotationGlyph kind={one.kind} />
              {annotationWords(one)}
            </div>
          ))}
          {annotations.length > NOTES_MAX && <div className={css['tipRow']}>and {annotations.length - NOTES_MAX} more</div>}
        </div>
      )}
    </div>
  );
}
