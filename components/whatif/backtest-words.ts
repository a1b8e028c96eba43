import { countOf, formatCount } from '@/components/format/count';
import type { BacktestResult } from '@/lib/whatif/answer-schema';

/** What enforcing changes for clients, in one sentence. */
export function backtestSentence({
  attempts,
  newly_refused,
  unverifiable,
  server,
}: Pick<BacktestResult, 'attempts' | 'newly_refused' | 'unverifiable' | 'server'>): string {
  if (attempts === 0) return `${server} has no resume attempt in this range.`;
  const open = unverifiable === 0 ? '' : ` ${countOf(unverifiable, 'attempt')} could not be judged and would pass.`;
  const refused = newly_refused === 0 ? 'none' : formatCount(newly_refused);
  return `Of ${countOf(attempts, 'attempt')} on ${server}, enforcement would have refused ${refused} that the server resumed.${open}`;
}
