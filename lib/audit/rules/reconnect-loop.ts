import type { StreamState } from '@/lib/audit/model/types';
import type { ConnEnd, Rule } from '@/lib/audit/rule';

/** Contract section 5: from the 3rd time a refused cursor is presented again … */
const AGAIN_FROM = 3;
/** … or the 5th connection in a row that brings no message … */
const EMPTY_FROM = 5;
/** … at under 30 s apart. */
const APART_MS = 30_000;
const PROOF_MAX = 16;

/** A client comes back again and again and gets nowhere. */
export const reconnectLoop: Rule = {
  code: 'reconnect_loop',
  attempted: ({ attempt, session, stream, record }, report) => {
    const { refused } = stream;
    if (attempt.verdict !== 'refused' || refused === null || refused.text !== attempt.text || refused.times < AGAIN_FROM) return;
    report({
      index: attempt.index,
      count: refused.times + 1,
      server: session.server,
      session: session.token,
      stream: stream.stream,
      conn: record.conn ?? null,
      first: attempt.text,
      last: attempt.text,
      records: refused.records,
      key: `refused ${stream.stream} ${attempt.text}`,
      message: `Cursor ${attempt.text} was refused and presented again ${refused.times} times.`,
    });
  },
  ended: (end, report) => {
    const { conn, stream, session } = end;
    if (end.cause === 'history' || conn.kind === 'implied' || !count(end, stream)) return;
    const { empty } = stream;
    report({
      index: end.index,
      count: empty.count,
      server: conn.server,
      session: session.token,
      stream: conn.stream,
      conn: conn.name,
      first: conn.attempt?.text ?? null,
      last: conn.attempt?.text ?? null,
      records: empty.records,
      key: `empty ${conn.stream} ${empty.first}`,
      message: `${empty.count} connections in a row of stream ${conn.stream}, each under 30 s after the one before, brought no message.`,
    });
  },
};

/** Counts the connection in; true from the threshold on. A replaced one is `stream_flap`'s. */
function count({ conn, cause }: ConnEnd, stream: StreamState): boolean {
  const { empty } = stream;
  if (cause === 'superseded') return false;
  if (conn.messages > 0n) {
    empty.count = 0;
    return false;
  }
  const isNear = empty.lastAt !== null && conn.openedAt !== null && conn.openedAt - empty.lastAt < APART_MS;
  empty.lastAt = conn.openedAt;
  if (!isNear || empty.count === 0) {
    empty.count = 1;
    empty.first = conn.openedIndex;
    empty.records = [conn.openedIndex];
    return false;
  }
  empty.count++;
  if (empty.records.length < PROOF_MAX) empty.records.push(conn.openedIndex);
  return empty.count >= EMPTY_FROM;
}
