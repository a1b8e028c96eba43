import { formatCount, formatShare } from '@/components/format/count';
import { AFTER_REFUSAL, type AfterRefusal } from '@/lib/wire/responses';

const WORDS: Readonly<Record<AfterRefusal, string>> = {
  reinitialized: 're-initializes',
  looped: 'loops: the same cursor three times or more',
  retried: 'retries the same cursor',
  other_cursor: 'comes with another cursor',
  dropped_cursor: 'comes back without a cursor',
  went_on: 'goes on without its stream',
  hung: 'hangs: nothing came for 5 minutes',
  unknown: 'unknown: the records do not tell',
};

/** What clients did after refusals, most first: `re-initializes 80.0 % (40), …`. */
export function sequelWords(counts: Readonly<Record<AfterRefusal, number>>): string {
  const total = AFTER_REFUSAL.reduce((sum, sequel) => sum + counts[sequel], 0);
  if (total === 0) return 'no refusal in this range';
  return AFTER_REFUSAL.filter((sequel) => counts[sequel] > 0)
    .sort((a, b) => counts[b] - counts[a])
    .map((sequel) => `${WORDS[sequel]} ${formatShare(counts[sequel], total)} (${formatCount(counts[sequel])})`)
    .join(', ');
}
