import { consequencesOfLoss } from '@/lib/audit/consequences';
import { events, spanOf } from '@/lib/audit/loss';
import { minus } from '@/lib/audit/model/intervals';
import { lengthOf, messagesIn, textAt } from '@/lib/audit/model/stream-log';
import type { Rule } from '@/lib/audit/rule';
import { countPositions } from '@/lib/base/ranges';

/** A client that was given a cursor reconnected without it, and what came in between never reached it. */
export const cursorLost: Rule = {
  code: 'cursor_lost',
  ended: ({ conn, session, index }, report) => {
    const { lostCursor, log } = conn;
    if (lostCursor === null || log === null || !lostCursor.isHarmful) return;
    const firstWritten = conn.written.find((range) => range.last > lostCursor.place)?.first ?? lengthOf(log);
    const missed = minus(messagesIn(log, [{ first: lostCursor.place + 1n, last: firstWritten - 1n }]), log.received);
    const [range] = missed;
    if (range === undefined) return;
    const count = countPositions(missed);
    const first = textAt(log, range.first);
    const last = textAt(log, missed.at(-1)?.last ?? range.last);
    report({
      index: conn.openedIndex,
      count,
      server: conn.server,
      session: conn.session,
      stream: conn.stream,
      conn: conn.name,
      first,
      last,
      records: [...conn.records, index],
      consequences: consequencesOfLoss(log, missed, session),
      message: `The client had cursor ${lostCursor.text} and connected as ${conn.name} without it; ${events(count)} (${spanOf(first, last)}) fell in between.`,
    });
  },
};
