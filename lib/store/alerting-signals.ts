import type { Sql } from '@/db/connect';
import type { Signal } from '@/lib/delivery/signal-queue';

/** Stores what was raised, all of it or nothing. */
export async function addSignals(sql: Sql, signals: readonly Signal[], nowMs: number): Promise<void> {
  const at = new Date(nowMs);
  const rows = signals.map(({ code, server, reason, detail }) => ({ at, code, server, reason, detail }));
  if (rows.length > 0) await sql`insert into alert_signal ${sql(rows, 'at', 'code', 'server', 'reason', 'detail')}`;
}
