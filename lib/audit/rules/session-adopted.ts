import type { Rule } from '@/lib/audit/rule';

/** A call was served under a token that names no session: ended, lost with its process, never issued, or another's. */
export const sessionAdopted: Rule = {
  code: 'session_adopted',
  requested: ({ record, session, serverState, index, isSuccess, isInitialize }, report) => {
    if (isInitialize || !isSuccess || (record.code ?? null) !== null || session.token === null) return;
    const draft = { index, count: 1, server: session.server, session: session.token, stream: null, key: 'served' };
    if (session.endedIndex !== null && session.life !== 'live') {
      report({
        ...draft,
        records: [session.endedIndex, index],
        message: `A call was served under a token whose session is ${session.life}.`,
      });
    } else if (session.doubt !== null && session.doubt.generation !== null && session.generation !== null) {
      report({
        ...draft,
        records: [session.doubt.index, index],
        message: `A call was served under a token of generation ${session.generation} although the process restarted as generation ${session.doubt.generation} and did not restore it.`,
      });
    } else if (!session.isCreated && session.life === 'unseen' && session.firstIndex === index && serverState.boots > 0) {
      session.ghost = index;
    }
  },
  sessionChanged: ({ record, session, former, index }, report) => {
    const { principal } = record;
    if (principal === undefined || principal === null || former.principal === null || principal === former.principal) return;
    report({
      index,
      count: 1,
      server: session.server,
      session: session.token,
      stream: null,
      severity: 'critical',
      message: 'The token was taken over by another principal than the one it was created for.',
    });
  },
  // Its creation may have been recorded late, so a token nobody saw created is judged at the end only.
  sessionAtEnd: (session, server, report) => {
    if (session.ghost === null || session.isCreated || server.created === 0) return;
    report({
      index: session.ghost,
      count: 1,
      server: session.server,
      session: session.token,
      stream: null,
      key: 'served',
      message: 'A call was served under a token that this server never issued, as far back as its process started.',
    });
  },
};
