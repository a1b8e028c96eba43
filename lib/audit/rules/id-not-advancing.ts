import type { SessionState, StreamState } from '@/lib/audit/model/types';
import type { Report, Rule } from '@/lib/audit/rule';

/** Events in a row under one id from which the id counts as standing still. */
const STANDING_FROM = 3;

/** Every event of a stream carries the same id, so the cursor never moves. */
export const idNotAdvancing: Rule = {
  code: 'id_not_advancing',
  emitted: ({ session, stream }, report) => {
    if (stream.sameId !== null && stream.sameId.count > STANDING_FROM && !stream.sameId.hasOther) tell(session, stream, report);
  },
  sessionAtEnd: (session, _server, report) => {
    for (const stream of session.streams.values()) {
      if (stream.sameId !== null && stream.sameId.count >= STANDING_FROM && !stream.sameId.hasOther) tell(session, stream, report);
    }
  },
};

function tell(session: SessionState, { stream, sameId }: StreamState, report: Report): void {
  if (sameId === null) return;
  report({
    index: sameId.first,
    count: sameId.count,
    server: session.server,
    session: session.token,
    stream,
    first: sameId.text,
    last: sameId.text,
    records: sameId.records,
    key: stream,
    message: `${sameId.count} events in a row of stream ${stream} carry id ${sameId.text}; the cursor cannot move.`,
  });
}
