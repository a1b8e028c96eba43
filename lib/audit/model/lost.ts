import { minus } from '@/lib/audit/model/intervals';
import { messagesIn } from '@/lib/audit/model/stream-log';
import type { Conn } from '@/lib/audit/model/types';
import type { PositionRange } from '@/lib/base/ranges';

/** Messages owed to a connection that were passed over: something later was written, or the replay was said to be done. */
export function lost(conn: Conn): PositionRange[] {
  const { log, skipped } = conn;
  if (log === null || skipped.length === 0) return [];
  return minus(minus(messagesIn(log, skipped), log.received), log.receivedWithoutId);
}
