import { events, lossOf, spanOf } from '@/lib/audit/loss';
import type { Rule } from '@/lib/audit/rule';

/** Messages after the cursor, or after the newest one written, were passed over. */
export const gap: Rule = {
  code: 'gap',
  ended: (end, report) => {
    const loss = lossOf(end);
    if (loss === null) return;
    const { conn } = end;
    const after = conn.attempt === null || conn.attempt.text === null ? 'while it was attached' : `after cursor ${conn.attempt.text}`;
    const how = conn.isOwedExact ? '' : 'at least ';
    report({
      ...loss.draft,
      count: loss.count,
      message: `Connection ${conn.name} was not written ${how}${events(loss.count)} (${spanOf(loss.first, loss.last)}) ${after}, although later ones were written or the replay was said to be done.`,
    });
  },
};
