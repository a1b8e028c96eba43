import { events, lossOf } from '@/lib/audit/loss';
import { notesIn } from '@/lib/audit/model/stream-log';
import type { Rule } from '@/lib/audit/rule';

/** The gap holds the answer to a request, so the call hangs. */
export const lostResponse: Rule = {
  code: 'lost_response',
  ended: (end, report) => {
    const loss = lossOf(end);
    if (loss === null) return;
    const answers = notesIn(loss.log, loss.ranges).filter((note) => note.type === 'response' || note.type === 'error');
    if (answers.length === 0) return;
    const ids = answers.slice(0, 3).map((note) => note.id ?? 'unknown');
    report({
      ...loss.draft,
      count: answers.length,
      message: `The ${events(loss.count)} that connection ${end.conn.name} was not written hold the answer to request ${ids.join(', ')}.`,
    });
  },
};
