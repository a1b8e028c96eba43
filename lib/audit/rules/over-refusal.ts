import { events } from '@/lib/audit/loss';
import type { Rule } from '@/lib/audit/rule';

/** A cursor whose events are all retained, or a session that lives, was refused. */
export const overRefusal: Rule = {
  code: 'over_refusal',
  attempted: ({ attempt, session, stream, record }, report) => {
    if (attempt.assessment !== 'over_refusal') return;
    const owed = BigInt(attempt.decision?.replay?.count ?? 0);
    report({
      index: attempt.index,
      count: 1,
      server: session.server,
      session: session.token,
      stream: stream.stream,
      conn: record.conn ?? null,
      first: attempt.text,
      last: attempt.text,
      message: `Cursor ${attempt.text} was refused with ${attempt.status ?? 'no status'} although everything after it is retained (${events(owed)}).`,
    });
  },
  // A 404 to a call proves wrong when the same token is served afterwards with no new start in between.
  requested: ({ record, session, index, isSuccess, isInitialize }, report) => {
    if (isInitialize) {
      session.denied = null;
      return;
    }
    if (record.status === 404 && !isForeignPage(record.content_type)) {
      if (session.life === 'live' && session.doubt === null) session.denied ??= { index, node: record.node ?? null };
      return;
    }
    const { denied } = session;
    if (denied === null || !isSuccess || (record.code ?? null) !== null) return;
    session.denied = null;
    const where = denied.node === null ? '' : ` by node ${denied.node}`;
    report({
      index: denied.index,
      count: 1,
      server: session.server,
      session: session.token,
      stream: null,
      records: [denied.index, index],
      message: `A call under a session that lives was answered 404${where}; the same token was served right after.`,
    });
  },
};

/** A 404 page in HTML is a missing route's, not a session's. */
export const isForeignPage = (contentType: string | null | undefined): boolean => contentType?.startsWith('text/html') === true;
