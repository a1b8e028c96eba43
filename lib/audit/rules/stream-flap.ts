import type { Rule } from '@/lib/audit/rule';

/** Contract section 5: from 4 mutual replacements within 10 s. */
const FROM = 4;
const WITHIN_MS = 10_000;

/** Listeners of one session replace each other again and again. */
export const streamFlap: Rule = {
  code: 'stream_flap',
  ended: ({ conn, cause, at, index, stream, session }, report) => {
    if (cause !== 'superseded' || at === null) return;
    stream.replaced = stream.replaced.filter((former) => at - former.at <= WITHIN_MS);
    stream.replaced.push({ at, index });
    if (stream.replaced.length < FROM) return;
    const [first] = stream.replaced;
    report({
      index,
      count: stream.replaced.length,
      server: conn.server,
      session: session.token,
      stream: conn.stream,
      conn: conn.name,
      records: stream.replaced.map((former) => former.index),
      key: conn.stream,
      message: `${stream.replaced.length} listeners of stream ${conn.stream} were replaced within ${Math.max(1, Math.ceil((at - (first?.at ?? at)) / 1000))} s.`,
    });
  },
};
