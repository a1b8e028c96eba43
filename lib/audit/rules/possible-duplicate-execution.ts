import { ofDuplicateCall } from '@/lib/audit/consequences';
import { hasPosition } from '@/lib/audit/model/intervals';
import type { Call, SessionState } from '@/lib/audit/model/types';
import type { Rule } from '@/lib/audit/rule';

/** The same call again, not idempotent, while the answer to the first was stored and could be resumed. */
export const possibleDuplicateExecution: Rule = {
  code: 'possible_duplicate_execution',
  requested: ({ record, session, index, isSuccess }, report) => {
    if (!isSuccess || record.idempotent === true || record.args_digest === undefined || record.tool === undefined) return;
    for (const call of session.calls.values()) {
      if (call.tool !== record.tool || call.argsDigest !== record.args_digest || !isReplayable(session, call)) continue;
      const stream = record.stream ?? null;
      report({
        index,
        count: 1,
        server: session.server,
        session: session.token,
        stream,
        conn: record.conn ?? null,
        records: [call.index, ...(call.answer === null ? [] : [call.answer.index]), index],
        consequences: [ofDuplicateCall(call, record.tool)],
        message: `${record.tool} was called again with the same arguments (request ${record.rpc?.id ?? 'unknown'}) while the answer to request ${call.rpcId} was retained on stream ${call.stream}.`,
      });
      return;
    }
  },
};

/** The connection is gone, the client was given a cursor on the stream, and the answer after it is retained. */
function isReplayable(session: SessionState, call: Call): boolean {
  if (call.isConnOpen || call.isIdempotent || call.answer === null) return false;
  const { log, place } = call.answer;
  const held = session.streams.get(call.stream)?.held;
  const isRetained = place >= log.floor && !hasPosition(log.holes, place);
  return isRetained && !hasPosition(log.received, place) && held !== undefined && held !== null && held.place >= log.floor - 1n;
}
