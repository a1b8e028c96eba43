import { events, spanOf } from '@/lib/audit/loss';
import type { EmitMoment, Rule } from '@/lib/audit/rule';

/** Numbering restarted under one label: ids that were issued before are issued again for other events. */
export const idReused: Rule = {
  code: 'id_reused',
  emitted: (moment, report) => {
    const { restart, log, session, index } = moment;
    const reused = restart ?? reissued(moment);
    if (reused === null) return;
    const when = restart === null ? 'with other content' : 'after the session was rebuilt';
    report({
      index,
      count: reused.count,
      exact: reused.isProved,
      server: session.server,
      session: session.token,
      stream: log.stream,
      first: reused.first,
      last: reused.last,
      records: [reused.formerIndex, index],
      key: `${log.stream} ${log.generation} ${log.restarts}`,
      message: `${events(reused.count)} (${spanOf(reused.first, reused.last)}) were issued again ${when}, under ${log.generation === null ? 'no generation' : `the same generation ${log.generation}`}.`,
    });
  },
};

/** An older id of the same log came again with other content; neighbours under one id are `id_collision`. */
function reissued({ again, log, index }: EmitMoment): EmitMoment['restart'] {
  if (again === null || !again.digestDiffers || again.isAdjacent) return null;
  const [first] = log.ids.shared.keys();
  return {
    count: BigInt(log.ids.shared.size),
    first: first ?? again.text,
    last: again.text,
    isProved: true,
    formerIndex: Math.min(log.firstIndex, index),
  };
}
