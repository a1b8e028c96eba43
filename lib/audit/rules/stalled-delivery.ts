import { events, spanOf } from '@/lib/audit/loss';
import { othersOn } from '@/lib/audit/model/conns';
import { minus } from '@/lib/audit/model/intervals';
import { logOf } from '@/lib/audit/model/sessions';
import { emitIndexOf, lengthOf, messagesIn, textAt } from '@/lib/audit/model/stream-log';
import type { ConnEnd, Rule } from '@/lib/audit/rule';
import { countPositions } from '@/lib/base/ranges';

/** How long an event may wait on an attached connection before it counts as stalled, where instants are known. */
const PATIENCE_MS = 5_000;

/** Events were stored while the connection was attached, nothing later was written either: the writer slept. */
export const stalledDelivery: Rule = {
  code: 'stalled_delivery',
  ended: (end, report) => {
    const { conn, stream, session } = end;
    const log = conn.log ?? logOf(stream, session.generation);
    if (log === null || conn.owedFrom === null || conn.kind === 'implied' || !isPatienceOver(end, log.lastEmitAt)) return;
    if (conn.attempt !== null && conn.cursor === null && conn.attempt.text !== null) return;
    const from = conn.owedFrom > openedLength(end, log.lastIndex) ? conn.owedFrom : openedLength(end, log.lastIndex);
    const last = lengthOf(log) - 1n;
    if (from > last) return;
    if (othersOn(session, conn).length > 0) return;
    const unwritten = minus(minus(messagesIn(log, [{ first: from, last }]), log.received), log.receivedWithoutId);
    const [range] = unwritten;
    if (range === undefined) return;
    const count = countPositions(unwritten);
    const first = textAt(log, range.first);
    const newest = textAt(log, unwritten.at(-1)?.last ?? last);
    const emitted = emitIndexOf(log, range.first);
    report({
      index: emitted ?? conn.openedIndex,
      count,
      server: conn.server,
      session: conn.session,
      stream: conn.stream,
      conn: conn.name,
      first,
      last: newest,
      records: emitted === null ? conn.records : [...conn.records, emitted],
      message: `${events(count)} (${spanOf(first, newest)}) were stored while connection ${conn.name} was attached and were never written to it.`,
    });
  },
};

/** Only what was stored after the connection began is judged here; what the replay left out is a gap. */
function openedLength({ conn }: ConnEnd, _lastIndex: number): bigint {
  return conn.attempt === null ? 0n : conn.attempt.length;
}

/**
 * A connection the network cut may have been cut before the write, and at the end of a history the write may
 * follow: there the instants must show that there was time.
 */
function isPatienceOver({ cause, at, conn, hasLaterRecord, serverState, session }: ConnEnd, emittedAt: number | null): boolean {
  const now = cause === 'history' ? serverState.lastAt : at;
  if (now !== null && emittedAt !== null) return now - emittedAt >= PATIENCE_MS;
  if (session.life !== 'live' && session.life !== 'unseen') return false;
  if (cause === 'history') return hasLaterRecord && conn.frames === 0n;
  return cause === 'client' || cause === 'server';
}
