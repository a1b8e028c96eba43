import type { Rule } from '@/lib/audit/rule';

/** A GET under the token was answered 404, and the client posts on with it. */
export const sessionLossIgnored: Rule = {
  code: 'session_loss_ignored',
  requested: ({ record, session, index, isInitialize }, report) => {
    const { notFound } = session;
    if (isInitialize || record.status !== 404 || session.token === null || notFound === null) return;
    if (!notFound.onListener || notFound.again !== 1) return;
    report({
      index,
      count: 1,
      server: session.server,
      session: session.token,
      stream: null,
      records: notFound.records,
      message: 'A GET under the token was answered 404 and the client went on to post with it.',
    });
  },
};
