import { lengthOf } from '@/lib/audit/model/stream-log';
import type { SessionState, StreamState } from '@/lib/audit/model/types';
import type { TelemetryRecord } from '@/lib/wire/schema';

/**
 * Books what a record says of records of its session that were kept back: how many right before it, and whether
 * what follows is. What they would have said is unknown, so whatever they may have changed is forgotten: open
 * connections, held cursors, calls, and that nothing came between the events on either side.
 */
export function noteKeptBack(session: SessionState, record: TelemetryRecord): void {
  session.isKeptBack = record.withheld_after === true;
  if ((record.withheld_before ?? 0) === 0) return;
  session.hasUnseen = true;
  session.conns.clear();
  session.calls.clear();
  session.silentLifetimes = [];
  session.told = null;
  session.doubt = null;
  for (const stream of session.streams.values()) breakStream(stream);
}

function breakStream(stream: StreamState): void {
  stream.held = null;
  stream.empty = { count: 0, first: 0, lastAt: null, records: [] };
  stream.replaced = [];
  stream.sameId = null;
  stream.unwritten = [];
  for (const log of stream.logs) {
    log.isWhole = false;
    log.toldFrom = lengthOf(log);
  }
}
