import type { Rule } from '@/lib/audit/rule';

/** An empty id cleared the cursor, and the client presented it all the same. */
export const usedClearedCursor: Rule = {
  code: 'used_cleared_cursor',
  attempted: ({ attempt, session, stream, record }, report) => {
    const { held } = stream;
    if (attempt.text === null || held === null || !held.isCleared) return;
    report({
      index: attempt.index,
      count: 1,
      server: session.server,
      session: session.token,
      stream: stream.stream,
      conn: record.conn ?? null,
      first: attempt.text,
      last: attempt.text,
      records: [held.index, attempt.index],
      message: `Cursor ${attempt.text} was presented although an empty id had cleared it.`,
    });
  },
};
