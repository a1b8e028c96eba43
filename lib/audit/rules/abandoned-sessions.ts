import type { Rule } from '@/lib/audit/rule';

/** Contract section 5: over half of at least 20 sessions … */
const SESSIONS_FROM = 20;
/** … neither ended by a DELETE nor seen for 30 minutes. */
const UNSEEN_MS = 30 * 60_000;

/** Clients leave their sessions behind. */
export const abandonedSessions: Rule = {
  code: 'abandoned_sessions',
  isOfSilence: true,
  serverAtEnd: (server, report) => {
    if (server.lastAt === null) return;
    let total = 0;
    let abandoned = 0;
    const records: number[] = [];
    for (const session of server.sessions.values()) {
      // Of a session that is kept back it is not known when it was seen last.
      if (session.token === null || !session.isCreated || session.isKeptBack) continue;
      total++;
      if (session.isDeleted || session.lastAt === null || server.lastAt - session.lastAt < UNSEEN_MS) continue;
      abandoned++;
      if (records.length < 16) records.push(session.lastIndex);
    }
    if (total < SESSIONS_FROM || abandoned * 2 <= total) return;
    report({
      index: server.lastIndex,
      count: abandoned,
      server: server.server,
      session: null,
      stream: null,
      records,
      key: 'abandoned',
      message: `${abandoned} of ${total} sessions were neither ended by a DELETE nor seen for 30 minutes.`,
    });
  },
};
