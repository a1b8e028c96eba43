import { events, spanOf } from '@/lib/audit/loss';
import type { Conn, Tally } from '@/lib/audit/model/types';
import type { Report } from '@/lib/audit/rule';

/** Reports events on a connection that were not issued for it. */
export function foreignReplay(conn: Conn, foreign: Tally, owner: string, report: Report): void {
  if (foreign.count === 0n) return;
  report({
    index: foreign.index,
    count: foreign.count,
    server: conn.server,
    session: conn.session,
    stream: conn.stream,
    conn: conn.name,
    first: foreign.first,
    last: foreign.last,
    records: conn.records,
    message: `Connection ${conn.name} was written ${events(foreign.count)} (${spanOf(foreign.first, foreign.last)}) that ${owner} had issued.`,
  });
}
