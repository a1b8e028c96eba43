import { countOf } from '@/components/format/count';
import type { PlotData } from '@/components/plot/plot-data';

/** What the plot shows, in one sentence. */
export function plotFinding(data: PlotData): string {
  const unsafe = data.attempts.filter((attempt) => attempt.mark === 'unsafe_resume');
  const lost = unsafe.reduce((sum, attempt) => sum + (attempt.gapCount ?? 0n), 0n);
  const generations = data.stretches.length > 1 ? `, ${data.stretches.length} generations` : '';
  const loss =
    unsafe.length === 0
      ? ', none unsafe'
      : `, ${countOf(unsafe.length, 'unsafe resume')}${lost > 0n ? ` that lost ${countOf(lost, 'event')}` : ''}`;
  return `Position against ${data.axis === 'time' ? 'time' : 'order of records'}: ${countOf(data.attempts.length, 'resume attempt')}${generations}${loss}`;
}
