import type { Rule } from '@/lib/audit/rule';
import { foreignReplay } from '@/lib/audit/rules/foreign-replay';

/** A connection was written events that another session issued: one client reads what another was sent. */
export const crossSessionReplay: Rule = {
  code: 'cross_session_replay',
  ended: ({ conn }, report) => foreignReplay(conn, conn.otherSession, 'another session', report),
};
