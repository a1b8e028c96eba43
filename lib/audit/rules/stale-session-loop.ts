import type { SessionState } from '@/lib/audit/model/types';
import type { Draft, Rule } from '@/lib/audit/rule';

/** Contract section 5: from the 2nd request under a token that was answered 404. */
const AGAIN_FROM = 2;

/** The client goes on with a token that is gone instead of starting a new session. */
export const staleSessionLoop: Rule = {
  code: 'stale_session_loop',
  requested: ({ record, session, index }, report) => {
    const draft = record.status === 404 ? loopOf(session, index) : null;
    if (draft !== null) report(draft);
  },
  // A 404 to a GET is a verdict on the session only where the session is known to be gone: some servers answer a refused cursor so.
  opened: ({ status, session, index }, report) => {
    const draft = status === 404 && isGone(session) ? loopOf(session, index) : null;
    if (draft !== null) report(draft);
  },
};

const isGone = ({ life, endedIndex, doubt }: SessionState): boolean => (endedIndex !== null && life !== 'live') || doubt !== null;

function loopOf({ notFound, token, server }: SessionState, index: number): Draft | null {
  if (token === null || notFound === null || notFound.again < AGAIN_FROM) return null;
  return {
    index,
    count: notFound.again,
    server,
    session: token,
    stream: null,
    records: notFound.records,
    key: `${notFound.index}`,
    message: `The token was answered 404 and used ${notFound.again} times more without an initialize.`,
  };
}
