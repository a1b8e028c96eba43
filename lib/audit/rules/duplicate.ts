import { consequencesOfRepetition } from '@/lib/audit/consequences';
import { events, spanOf } from '@/lib/audit/loss';
import type { Rule } from '@/lib/audit/rule';

/** Events were written again to a client that had them: on one connection, at or below its cursor, or before without id. */
export const duplicate: Rule = {
  code: 'duplicate',
  ended: ({ conn, session }, report) => {
    const { count, first, last, index } = conn.repeats;
    if (count === 0n) return;
    const cursor = conn.attempt?.text ?? null;
    report({
      index,
      count,
      server: conn.server,
      session: conn.session,
      stream: conn.stream,
      conn: conn.name,
      first,
      last,
      records: conn.records,
      consequences: conn.log === null ? [] : consequencesOfRepetition(conn.log, conn.written, session),
      message: `${events(count)} (${spanOf(first, last)}) were written again on connection ${conn.name}${cursor === null ? '' : `, resumed at cursor ${cursor}`}, to a client that had them.`,
    });
  },
};
