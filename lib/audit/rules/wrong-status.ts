import type { SessionLife } from '@/lib/audit/model/types';
import type { Rule } from '@/lib/audit/rule';

/** The refusal is right, its status is not: the client cannot know what to do. */
export const wrongStatus: Rule = {
  code: 'wrong_status',
  attempted: ({ attempt, session, stream, record }, report) => {
    if (attempt.assessment !== 'wrong_status' || attempt.status === 200) return;
    report({
      index: attempt.index,
      count: 1,
      server: session.server,
      session: session.token,
      stream: stream.stream,
      conn: record.conn ?? null,
      first: attempt.text,
      last: attempt.text,
      message: `Cursor ${attempt.text} was rightly refused (${attempt.decision?.reason ?? 'unknown reason'}), but with ${attempt.status} instead of ${attempt.decision?.status ?? 409}.`,
    });
  },
  opened: ({ record, session, stream, index, status }, report) => {
    if (record.type !== 'open' || status === undefined || status === null || status < 400) return;
    if (session.token === null || session.endedIndex === null || isRightForListener(session.life, status)) return;
    report({
      index,
      count: 1,
      server: session.server,
      session: session.token,
      stream: stream.stream,
      conn: record.conn ?? null,
      records: [session.endedIndex, index],
      message: `A connect under a session that is ${session.life} was answered ${status} instead of 404.`,
    });
  },
  requested: ({ record, session, index, isSuccess, isInitialize }, report) => {
    const { status } = record;
    if (isInitialize || isSuccess || status === undefined || status === null || status < 400 || session.token === null) return;
    if (session.endedIndex === null || isRight(session.life, status)) return;
    report({
      index,
      count: 1,
      server: session.server,
      session: session.token,
      stream: null,
      records: [session.endedIndex, index],
      message: `A call under a session that is ${session.life} was answered ${status} instead of ${session.life === 'superseded' ? '404 or 409' : '404'}.`,
    });
  },
};

/** A listener of a dead session: 405 says that there are no listeners at all, which is right at any time. */
function isRightForListener(life: SessionLife, status: number): boolean {
  return status === 405 || isRight(life, status);
}

/** 401 and 429 are answered before the session is looked at; a superseded session may be told 409. */
function isRight(life: SessionLife, status: number): boolean {
  if (life === 'live' || life === 'unseen') return true;
  return status === 404 || status === 401 || status === 429 || (life === 'superseded' && status === 409);
}
