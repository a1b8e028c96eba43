import type { Conn, SessionState } from '@/lib/audit/model/types';
import type { Draft, Rule } from '@/lib/audit/rule';

/** How long a stream may outlive its session or its replacement before it counts as left behind. */
const GRACE_MS = 30_000;

/** A stream that its session no longer needs is still open: the session is gone, or a newer listener took over. */
export const orphanedStream: Rule = {
  code: 'orphaned_stream',
  delivered: ({ conn, session, index }, report) => {
    if (session.endedIndex === null || conn.openedIndex > session.endedIndex || session.life === 'live' || conn.kind === 'implied') return;
    report(
      draftOf(conn, index, `Connection ${conn.name} was still written to after its session was ${session.life}.`, [
        session.endedIndex,
        index,
      ]),
    );
  },
  sessionAtEnd: (session, server, report) => {
    if (server.lastAt === null) return;
    if (session.endedIndex !== null && session.endedAt !== null && server.lastAt - session.endedAt >= GRACE_MS) {
      for (const conn of session.conns.values()) {
        if (conn.kind === 'implied' || conn.openedIndex > session.endedIndex) continue;
        report(
          draftOf(
            conn,
            session.endedIndex,
            `Connection ${conn.name} is open ${seconds(server.lastAt - session.endedAt)} s after its session was ${session.life}.`,
            [conn.openedIndex, session.endedIndex],
          ),
        );
      }
      return;
    }
    for (const conn of session.conns.values()) {
      const heir = replacedBy(session, conn);
      if (heir === null || heir.openedAt === null || server.lastAt - heir.openedAt < GRACE_MS) continue;
      report(
        draftOf(
          conn,
          heir.openedIndex,
          `Connection ${conn.name} was left open and silent when ${heir.name} took over its stream ${seconds(server.lastAt - heir.openedAt)} s ago.`,
          [conn.openedIndex, heir.openedIndex],
        ),
      );
    }
  },
};

const seconds = (ms: number): number => Math.round(ms / 1000);

/** A newer listener of the stream that gets what the older one no longer does. */
function replacedBy(session: SessionState, conn: Conn): Conn | null {
  if (conn.kind === 'implied' || conn.kind === 'answer') return null;
  for (const other of session.conns.values()) {
    if (other.stream !== conn.stream || other.openedIndex <= conn.openedIndex || other.messages === 0n) continue;
    if (conn.lastFrameIndex < other.openedIndex) return other;
  }
  return null;
}

function draftOf(conn: Conn, index: number, message: string, records: readonly number[]): Draft {
  return {
    index,
    count: 1,
    server: conn.server,
    session: conn.session,
    stream: conn.stream,
    conn: conn.name,
    records,
    key: `${conn.name} ${conn.openedIndex}`,
    message,
  };
}
