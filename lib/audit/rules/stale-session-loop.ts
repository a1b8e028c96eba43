import type { Rule } from '@/lib/audit/rule';

/** Contract section 5: from the 2nd request under a token that was answered 404. */
const AGAIN_FROM = 2;

/** The client goes on with a token that is gone instead of starting a new session. */
export const staleSessionLoop: Rule = {
  code: 'stale_session_loop',
  requested: ({ record, session, index }, report) => {
    const { notFound } = session;
    if (record.status !== 404 || session.token === null || notFound === null || notFound.again < AGAIN_FROM) return;
    report({
      index,
      count: notFound.again,
      server: session.server,
      session: session.token,
      stream: null,
      records: notFound.records,
      key: `${notFound.index}`,
      message: `The token was answered 404 and used ${notFound.again} times more without an initialize.`,
    });
  },
};
