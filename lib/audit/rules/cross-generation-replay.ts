import { consequencesOfRepetition } from '@/lib/audit/consequences';
import { events, spanOf } from '@/lib/audit/loss';
import { textAt } from '@/lib/audit/model/stream-log';
import type { Rule } from '@/lib/audit/rule';

/** A cursor of an earlier numbering was accepted and served events as if it were of the live one. */
export const crossGenerationReplay: Rule = {
  code: 'cross_generation_replay',
  ended: ({ conn, session }, report) => {
    const { attempt, earlier, log } = conn;
    const isCursorEarlier = attempt !== null && attempt.origin === 'earlier';
    const served = isCursorEarlier ? conn.messages : earlier.count;
    if (served === 0n || attempt === null || attempt.text === null) return;
    const first = earlier.first ?? (log === null ? null : textAt(log, conn.firstWritten ?? 0n));
    const last = earlier.last ?? (log === null ? null : textAt(log, conn.written.at(-1)?.last ?? 0n));
    report({
      index: attempt.index,
      count: served,
      server: conn.server,
      session: conn.session,
      stream: conn.stream,
      conn: conn.name,
      first,
      last,
      records: conn.records,
      consequences: log === null ? [] : consequencesOfRepetition(log, conn.written, session),
      message: `Cursor ${attempt.text} was given out in an earlier generation, yet the resume on connection ${conn.name} was served ${events(served)} (${spanOf(first, last)}) under ${session.generation === null ? 'the numbering in use' : `generation ${session.generation}`}.`,
    });
  },
};
