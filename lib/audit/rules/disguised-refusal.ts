import type { Rule } from '@/lib/audit/rule';
import { isInStreamRefusal } from '@/lib/wire/attempt-facts';

/** Longest life of a connection that still counts as closed at once, where instants are known. */
const AT_ONCE_MS = 5_000;

/** A refusal that went out as 200: an error in the body of a dead session's call, or an empty stream closed at once. */
export const disguisedRefusal: Rule = {
  code: 'disguised_refusal',
  requested: ({ record, session, index, isSuccess, isInitialize }, report) => {
    if (isInitialize || !isSuccess || (record.code ?? null) === null || session.endedIndex === null) return;
    report({
      index,
      count: 1,
      server: session.server,
      session: session.token,
      stream: null,
      records: [session.endedIndex, index],
      message: `A call under a session that is ${session.life} was answered ${record.status} with error ${record.code} in the body.`,
    });
  },
  attempted: ({ attempt, session, stream, record }, report) => {
    if (attempt.verdict !== 'refused' || attempt.status !== 200 || isInStreamRefusal(record)) return;
    report({
      index: attempt.index,
      count: 1,
      server: session.server,
      session: session.token,
      stream: stream.stream,
      conn: record.conn ?? null,
      first: attempt.text,
      last: attempt.text,
      message: `The refusal of cursor ${attempt.text} was served with status 200.`,
    });
  },
  ended: ({ conn, cause, at, index }, report) => {
    const { attempt } = conn;
    if (attempt === null || cause !== 'server' || conn.frames > 0n || attempt.decision?.verdict !== 'refuse') return;
    if (at !== null && conn.openedAt !== null && at - conn.openedAt > AT_ONCE_MS) return;
    report({
      index: attempt.index,
      count: 1,
      server: conn.server,
      session: conn.session,
      stream: conn.stream,
      conn: conn.name,
      first: attempt.text,
      last: attempt.text,
      records: [attempt.index, index],
      key: `${conn.stream} ${attempt.text}`,
      message: `Cursor ${attempt.text} cannot be resumed (${attempt.decision.reason}), yet it was answered 200 and the stream closed without a frame.`,
    });
  },
};
