import { events, spanOf } from '@/lib/audit/loss';
import { othersOn } from '@/lib/audit/model/conns';
import { minus } from '@/lib/audit/model/intervals';
import { logOf } from '@/lib/audit/model/sessions';
import { emitIndexOf, lengthOf, messagesIn, type StreamLog, textAt } from '@/lib/audit/model/stream-log';
import type { UnwrittenClaim } from '@/lib/audit/model/types';
import type { ConnEnd, Report, Rule } from '@/lib/audit/rule';
import { countPositions, type PositionRange } from '@/lib/base/ranges';

/** How long an event may wait on an attached connection before it counts as stalled, where instants are known. */
const PATIENCE_MS = 5_000;

/** Claims of one stream that wait for a later write; a stream with more has been told of often enough. */
const CLAIMS_MAX = 64;

/**
 * Events were stored while the connection was attached, nothing later was written either: the writer slept. What
 * an ended connection was owed may still reach the client by a replay, so it is judged when the history ends.
 */
export const stalledDelivery: Rule = {
  code: 'stalled_delivery',
  ended: (end, report) => {
    const claim = claimOf(end);
    if (claim === null) return;
    if (end.cause === 'history') tell(claim, end.stream.stream, report);
    else {
      end.stream.unwritten.push(claim);
      if (end.stream.unwritten.length > CLAIMS_MAX) end.stream.unwritten.shift();
    }
  },
  sessionAtEnd: (session, _server, report) => {
    for (const stream of session.streams.values()) for (const claim of stream.unwritten) tell(claim, stream.stream, report);
  },
};

/** What the connection was owed and not written, null when there was no time for it or somebody else had it. */
function claimOf(end: ConnEnd): UnwrittenClaim | null {
  const { conn, stream, session } = end;
  const log = conn.log ?? logOf(stream, session.generation);
  if (log === null || conn.owedFrom === null || conn.kind === 'implied' || !isPatienceOver(end, log.lastEmitAt)) return null;
  if (conn.attempt !== null && conn.cursor === null && conn.attempt.text !== null) return null;
  const opened = openedLength(end);
  const from = conn.owedFrom > opened ? conn.owedFrom : opened;
  const last = lengthOf(log) - 1n;
  if (from > last || othersOn(session, conn).length > 0) return null;
  const ranges = stillUnwritten(log, messagesIn(log, [{ first: from, last }]));
  if (ranges.length === 0) return null;
  const { name, server, openedIndex, records } = conn;
  return { log, ranges, conn: name, server, session: conn.session, openedIndex, records };
}

const stillUnwritten = (log: StreamLog, ranges: readonly PositionRange[]): PositionRange[] =>
  minus(minus(ranges, log.received), log.receivedWithoutId);

function tell({ log, ranges, conn, server, session, openedIndex, records }: UnwrittenClaim, stream: string, report: Report): void {
  const unwritten = stillUnwritten(log, ranges);
  const [range] = unwritten;
  const newest = unwritten.at(-1);
  if (range === undefined || newest === undefined) return;
  const count = countPositions(unwritten);
  const first = textAt(log, range.first);
  const last = textAt(log, newest.last);
  const emitted = emitIndexOf(log, range.first);
  report({
    index: emitted ?? openedIndex,
    count,
    server,
    session,
    stream,
    conn,
    first,
    last,
    records: emitted === null ? records : [...records, emitted],
    message: `${events(count)} (${spanOf(first, last)}) were stored while connection ${conn} was attached and were never written to it.`,
  });
}

/** Only what was stored after the connection began is judged here; what the replay left out is a gap. */
function openedLength({ conn }: ConnEnd): bigint {
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
