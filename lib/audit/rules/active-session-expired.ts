import type { Rule } from '@/lib/audit/rule';

/** The session was evicted sooner after its last use than its time to live. */
export const activeSessionExpired: Rule = {
  code: 'active_session_expired',
  sessionChanged: ({ record, session, former, index, at }, report) => {
    if (record.event !== 'evicted' || former.life !== 'live' || at === null || former.usedAt === null || session.ttlMs === null) return;
    const idle = at - former.usedAt;
    if (idle < 0 || idle >= session.ttlMs) return;
    report({
      index,
      count: 1,
      server: session.server,
      session: session.token,
      stream: null,
      message: `The session was evicted ${idle} ms after its last use; its time to live is ${session.ttlMs} ms.`,
    });
  },
};
