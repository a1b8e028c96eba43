import { consequencesOfLoss } from '@/lib/audit/consequences';
import { lost } from '@/lib/audit/model/lost';
import { emitIndexOf, type StreamLog, textAt } from '@/lib/audit/model/stream-log';
import type { ConnEnd, Draft } from '@/lib/audit/rule';
import { countPositions, type PositionRange } from '@/lib/base/ranges';

export interface Loss {
  readonly log: StreamLog;
  readonly ranges: readonly PositionRange[];
  readonly count: bigint;
  readonly first: string | null;
  readonly last: string | null;
  readonly draft: Omit<Draft, 'message' | 'count'>;
}

/**
 * What a connection lost, once it ended or the history did. A cursor of an earlier numbering that was served
 * events is a fault of its own: how the two numberings relate is not known, so nothing is counted as lost.
 */
export function lossOf(end: ConnEnd): Loss | null {
  const { conn } = end;
  const { log } = conn;
  if (log === null || conn.skipped.length === 0) return null;
  if (conn.attempt?.origin === 'earlier' && conn.messages > 0n) return null;
  const ranges = lost(conn);
  const [range] = ranges;
  if (range === undefined) return null;
  const first = textAt(log, range.first);
  const last = textAt(log, ranges.at(-1)?.last ?? range.last);
  const emitted = emitIndexOf(log, range.first);
  return {
    log,
    ranges,
    count: countPositions(ranges),
    first,
    last,
    draft: {
      index:
        end.cause === 'history'
          ? conn.lastFrameIndex
          : conn.attempt !== null && conn.frames === 0n
            ? conn.attempt.index
            : conn.lastFrameIndex,
      exact: conn.isOwedExact,
      server: conn.server,
      session: conn.session,
      stream: conn.stream,
      conn: conn.name,
      first,
      last,
      // The same loss shown again by a client that keeps coming back is one finding.
      key: `${conn.stream} ${log.generation} ${log.restarts} ${range.first} ${ranges.at(-1)?.last} ${conn.attempt?.text}`,
      records: emitted === null ? conn.records : [emitted, ...conn.records],
      consequences: consequencesOfLoss(log, ranges, end.session),
    },
  };
}

/** "11 to 44", or one id. */
export function spanOf(first: string | null, last: string | null): string {
  if (first === null && last === null) return 'unknown ids';
  return first === last ? String(first) : `${first} to ${last}`;
}

/** "1 event", "34 events". */
export const events = (count: bigint): string => `${count} ${count === 1n ? 'event' : 'events'}`;
