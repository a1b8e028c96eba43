import { countOf } from '@/components/format/count';
import { timeOfDay } from '@/components/format/instant';
import { zoneName } from '@/components/format/zone';
import type { Bar } from '@/components/overview/attempts-over-time';

/** The finding of the chart in one sentence. */
export function chartFinding(bars: readonly Bar[], lost: number, isAtLeast: boolean): string {
  const attempts = bars.reduce((sum, bar) => sum + bar.total, 0);
  const worst = bars.reduce<Bar | null>((best, bar) => (bar.unsafe_resume > (best?.unsafe_resume ?? 0) ? bar : best), null);
  const where = worst === null ? 'no unsafe resume' : `most unsafe resumes at ${timeOfDay(worst.at, 'min')} ${zoneName(worst.at)}`;
  return `${isAtLeast ? 'at least ' : ''}${countOf(attempts, 'resume attempt')}, ${countOf(lost, 'event')} lost, ${where}`;
}
