import { findIn } from '@/lib/audit/model/elsewhere';
import type { Rule } from '@/lib/audit/rule';

/** The presented id was issued on several streams of the session, and nothing says which one is meant. */
export const ambiguousCursor: Rule = {
  code: 'ambiguous_cursor',
  attempted: ({ attempt, session, stream, conn, record }, report) => {
    const { text } = attempt;
    if (text === null || attempt.origin !== 'foreign') return;
    const owners: string[] = [];
    const records: number[] = [];
    for (const other of session.streams.values()) {
      const found = other === stream ? null : findIn(other, text, null);
      if (found === null) continue;
      owners.push(other.stream);
      records.push(found.log.firstIndex);
    }
    if (owners.length < 2) return;
    report({
      index: attempt.index,
      count: owners.length,
      server: session.server,
      session: session.token,
      stream: stream.stream,
      conn: conn?.name ?? record.conn ?? null,
      first: text,
      last: text,
      records: [...records, attempt.index],
      message: `Cursor ${text} names an event of ${owners.length} streams (${owners.slice(0, 4).join(', ')}).`,
    });
  },
};
