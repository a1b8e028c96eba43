import { countOf, formatCount } from '@/components/format/count';
import { timeOfDay } from '@/components/format/instant';
import { zoneName } from '@/components/format/zone';
import type { Bar, Totals } from '@/components/overview/attempts-over-time';

/** The finding of the chart in one sentence. */
export function chartFinding(bars: readonly Bar[], { lost, unavailable }: Omit<Totals, 'marks'>, isAtLeast: boolean): string {
  const attempts = bars.reduce((sum, bar) => sum + bar.total, 0);
  const unsafe = peakOf(bars, (bar) => bar.unsafe_resume);
  const refused = peakOf(bars, (bar) => bar.unavailable);
  const where = unsafe === null ? 'no unsafe resume' : `most unsafe resumes at ${unsafe}`;
  const refusals = refused === null ? 'no resume_unavailable' : `${formatCount(unavailable)} resume_unavailable, most at ${refused}`;
  return `${isAtLeast ? 'at least ' : ''}${countOf(attempts, 'resume attempt')}, ${countOf(lost, 'event')} lost, ${where}, ${refusals}`;
}

/** When a count was highest, null where it never occurred. */
function peakOf(bars: readonly Bar[], count: (bar: Bar) => number): string | null {
  const peak = bars.reduce<Bar | null>((best, bar) => (count(bar) > (best === null ? 0 : count(best)) ? bar : best), null);
  return peak === null ? null : `${timeOfDay(peak.at, 'min')} ${zoneName(peak.at)}`;
}
