import type { SessionState, StreamState } from '@/lib/audit/model/types';
import type { Draft, Rule } from '@/lib/audit/rule';

/** Different events of one log carry one id. A stream whose id never changes is `id_not_advancing` instead. */
export const idCollision: Rule = {
  code: 'id_collision',
  emitted: ({ session, stream, endedRun }, report) => {
    const { sameId } = stream;
    if (endedRun !== null) report(draftOf(session, stream.stream, endedRun.text, endedRun.count, endedRun.first, endedRun.records));
    if (sameId !== null && sameId.count > 1 && sameId.digestsDiffer && sameId.hasOther) {
      report(draftOf(session, stream.stream, sameId.text, sameId.count, sameId.first, sameId.records));
    }
  },
  sessionAtEnd: (session, _server, report) => {
    for (const { sameId, stream } of session.streams.values()) {
      if (isShort(sameId)) report(draftOf(session, stream, sameId.text, sameId.count, sameId.first, sameId.records));
    }
  },
};

/** Two events in a row under one id, and nothing since to tell whether the id ever moves. */
function isShort(sameId: StreamState['sameId']): sameId is NonNullable<StreamState['sameId']> {
  return sameId !== null && sameId.count === 2 && sameId.digestsDiffer;
}

function draftOf(session: SessionState, stream: string, text: string, count: number, index: number, records: readonly number[]): Draft {
  return {
    index,
    count,
    server: session.server,
    session: session.token,
    stream,
    first: text,
    last: text,
    records,
    key: `${stream}\u0000${text}`,
    message: `${count} different events of stream ${stream} carry id ${text}, so a cursor that names it says nothing.`,
  };
}
