import { countOf, formatCount, formatShare } from '@/components/format/count';
import { presetWords, type TimeRange } from '@/components/time-range/time-range';
import type { Summary } from '@/lib/wire/responses';

/** "38 of 2,238 attempts in the last 3 hours (1.7 %) would have been refused instead of resumed." */
export function backtestWords(route: string, totals: Summary['totals'] | null, range: TimeRange): string {
  const when = range.kind === 'absolute' ? 'in this range' : `in the ${presetWords(range.preset).toLowerCase()}`;
  if (totals === null) return 'Reading what was recorded of this route.';
  if (totals.attempts === 0) return `No attempt of ${route} was recorded ${when}: what enforcing would change is unknown, not zero.`;
  const { unsafe_resume, unverifiable } = totals.assessments;
  const share = formatShare(unsafe_resume, totals.attempts);
  const unknown = unverifiable === 0 ? '' : ` ${countOf(unverifiable, 'attempt')} could not be judged and would pass.`;
  return `${formatCount(unsafe_resume)} of ${countOf(totals.attempts, 'attempt')} ${when} (${share}) would have been refused instead of resumed.${unknown}`;
}
