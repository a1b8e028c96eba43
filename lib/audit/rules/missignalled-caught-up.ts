import { events, spanOf } from '@/lib/audit/loss';
import { minus } from '@/lib/audit/model/intervals';
import { placeOfEvent } from '@/lib/audit/model/place';
import { messagesIn, textAt } from '@/lib/audit/model/stream-log';
import type { Rule } from '@/lib/audit/rule';
import { countPositions } from '@/lib/base/ranges';

/** The answer names a position it says the client has reached, but nothing up to there was written. */
export const missignalledCaughtUp: Rule = {
  code: 'missignalled_caught_up',
  ended: ({ conn }, report) => {
    const { attempt, log } = conn;
    if (log === null || attempt === null || attempt.claim === null || attempt.claim.last === null || attempt.claim.count > 0n) return;
    const last = placeOfEvent(log, attempt.claim.last);
    if (last === null || last >= attempt.length) return;
    const from = conn.cursor ?? (conn.skipped[0]?.first ?? last + 1n) - 1n;
    if (last <= from) return;
    const unwritten = minus(minus(messagesIn(log, [{ first: from + 1n, last }]), log.received), log.receivedWithoutId);
    const [range] = unwritten;
    if (range === undefined) return;
    const count = countPositions(unwritten);
    const first = textAt(log, range.first);
    report({
      index: attempt.index,
      count,
      exact: conn.isOwedExact,
      server: conn.server,
      session: conn.session,
      stream: conn.stream,
      conn: conn.name,
      first,
      last: attempt.claim.last,
      records: conn.records,
      message: `The answer to the resume at cursor ${attempt.text} names ${attempt.claim.last} as reached, but ${events(count)} (${spanOf(first, attempt.claim.last)}) were never written.`,
    });
  },
};
