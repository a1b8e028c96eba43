import type { Rule } from '@/lib/audit/rule';

/** A quick reset is the network's until it happens this often in a row. */
const RESETS_FROM = 3;
const TIMEOUT_MS = 5_000;

/** A resume got no status line: it timed out, or every one of them is reset. */
export const unansweredResume: Rule = {
  code: 'unanswered_resume',
  attempted: ({ attempt, session, stream, record }, report) => {
    if (attempt.verdict !== 'failed' || (attempt.status !== null && attempt.status !== undefined)) {
      stream.statusless = 0;
      return;
    }
    stream.statusless++;
    const isTimeout = attempt.latencyMs === null || attempt.latencyMs >= TIMEOUT_MS;
    if (!isTimeout && stream.statusless < RESETS_FROM) return;
    const waited = attempt.latencyMs === null ? '' : ` after ${attempt.latencyMs} ms`;
    report({
      index: attempt.index,
      count: stream.statusless,
      server: session.server,
      session: session.token,
      stream: stream.stream,
      conn: record.conn ?? null,
      first: attempt.text,
      last: attempt.text,
      key: stream.stream,
      blame: isTimeout ? 'server' : 'path',
      message: `${stream.statusless} resume ${stream.statusless === 1 ? 'attempt' : 'attempts in a row'} at cursor ${attempt.text} got no status line${waited}.`,
    });
  },
};
