import { events, spanOf } from '@/lib/audit/loss';
import type { Rule } from '@/lib/audit/rule';

/** Events that are stored under ids were written without them, so no client can resume after them. */
export const idsNotOnWire: Rule = {
  code: 'ids_not_on_wire',
  ended: ({ conn }, report) => {
    const { count, first, last, index } = conn.withoutId;
    if (count === 0n) return;
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
      message: `${events(count)} (${spanOf(first, last)}) went out on connection ${conn.name} without an id, so the client has no cursor for them.`,
    });
  },
};
