import { events } from '@/lib/audit/loss';
import { textAt } from '@/lib/audit/model/stream-log';
import type { Rule } from '@/lib/audit/rule';

/** The replay began with the oldest event retained although the cursor lies above it: the header was not read. */
export const cursorNotHonoured: Rule = {
  code: 'cursor_not_honoured',
  ended: ({ conn }, report) => {
    const { log, cursor, firstWritten } = conn;
    if (log === null || cursor === null || firstWritten === null || conn.attempt === null) return;
    // One repeated event is an off-by-one, not a header that was ignored.
    if (conn.repeats.count < 2n || firstWritten > log.floor || cursor <= firstWritten) return;
    report({
      index: conn.repeats.index,
      count: conn.repeats.count,
      server: conn.server,
      session: conn.session,
      stream: conn.stream,
      conn: conn.name,
      first: textAt(log, firstWritten),
      last: textAt(log, cursor),
      records: conn.records,
      message: `The resume at cursor ${conn.attempt.text} was written everything from ${textAt(log, firstWritten)} on: ${events(conn.repeats.count)} the client had.`,
    });
  },
};
