import { events, spanOf } from '@/lib/audit/loss';
import type { Rule } from '@/lib/audit/rule';

/** Numbering restarted under one label: ids that were issued before are issued again for other events. */
export const idReused: Rule = {
  code: 'id_reused',
  emitted: ({ restart, log, session, index }, report) => {
    if (restart === null) return;
    report({
      index,
      count: restart.count,
      exact: restart.isProved,
      server: session.server,
      session: session.token,
      stream: log.stream,
      first: restart.first,
      last: restart.last,
      records: [restart.formerIndex, index],
      message: `${events(restart.count)} (${spanOf(restart.first, restart.last)}) were issued again after the session was rebuilt, under ${log.generation === null ? 'no generation' : `the same generation ${log.generation}`}.`,
    });
  },
};
