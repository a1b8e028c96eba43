import { events } from '@/lib/audit/loss';
import { placesOf } from '@/lib/audit/model/id-index';
import { hasPosition } from '@/lib/audit/model/intervals';
import { logOf } from '@/lib/audit/model/sessions';
import type { ClientMoment, Rule } from '@/lib/audit/rule';

/** The client threw away events that it was written for the first time. */
export const suppressedLiveEvents: Rule = {
  code: 'suppressed_live_events',
  clientSaid: (moment, report) => {
    const { record, session, stream, index } = moment;
    if (record.event !== 'discarded' || record.event_ids === undefined) return;
    const thrown = record.event_ids.map(String).filter((text) => isFirst(moment, text));
    const [first] = thrown;
    if (first === undefined) return;
    report({
      index,
      count: thrown.length,
      server: session.server,
      session: session.token,
      stream: stream.stream,
      conn: record.conn ?? null,
      first,
      last: thrown.at(-1) ?? first,
      message: `The client threw away ${events(BigInt(thrown.length))} that it had not been written before.`,
    });
  },
};

/** Written once in the live numbering, not repeated on any open connection, and not denied by a cursor that came after it was written. */
function isFirst({ session, stream }: ClientMoment, text: string): boolean {
  const log = logOf(stream, session.generation);
  const place = log === null ? undefined : placesOf(log.ids, text)[0];
  if (log === null || place === undefined || !hasPosition(log.received, place) || hasPosition(log.denied, place)) return false;
  for (const conn of session.conns.values()) if (conn.stream === stream.stream && conn.repeats.count > 0n) return false;
  return true;
}
