import type { Rule } from '@/lib/audit/rule';
import { foreignReplay } from '@/lib/audit/rules/foreign-replay';

/** A connection was written events that another stream of the session issued. */
export const crossStreamReplay: Rule = {
  code: 'cross_stream_replay',
  ended: ({ conn }, report) => foreignReplay(conn, conn.otherStream, 'another stream of its session', report),
};
