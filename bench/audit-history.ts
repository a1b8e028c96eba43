import type { TelemetryRecord } from '@/lib/wire/schema';

/** A round of one session: a connect or resume, events and their delivery, a call, a drop, an eviction. */
function round(token: string, conn: string, head: number, at: number): TelemetryRecord[] {
  return [
    head === 0
      ? { type: 'open', session: token, conn, method: 'GET', status: 200, at }
      : {
          type: 'resume_attempt',
          session: token,
          conn,
          last_event_id: String(head),
          verdict: 'resumed',
          status: 200,
          generation: 'g1',
          at,
        },
    { type: 'emit', session: token, event_id: String(head + 1), digest: 'd', generation: 'g1', at },
    { type: 'deliver', session: token, conn, event_ids: [String(head + 1)], at },
    { type: 'emit', session: token, range: [head + 2, head + 9], generation: 'g1', at },
    { type: 'deliver', session: token, conn, range: [head + 2, head + 9], at },
    { type: 'emit', session: token, event_id: String(head + 10), rpc: { type: 'notification', method: 'notifications/message' }, at },
    { type: 'deliver', session: token, conn, event_ids: [String(head + 10)], at },
    { type: 'request', session: token, rpc: { method: 'tools/list', id: head }, status: 200, at },
    { type: 'close', session: token, conn, by: 'network', at },
    { type: 'evict', session: token, floor: Math.max(1, head - 90), cause: 'count', at },
  ];
}

/**
 * A long history of many sessions that go round together: the same on every run.
 *
 * @param at instant of its first record, epoch milliseconds
 */
export function history(sessions: number, total: number, from = 1_764_500_000_000): TelemetryRecord[] {
  const records: TelemetryRecord[] = [];
  let at = from;
  for (let session = 0; session < sessions; session++) {
    records.push({ type: 'session', event: 'created', session: `s${session}`, generation: 'g1', at });
  }
  for (let head = 0; records.length < total; head += 10) {
    for (let session = 0; session < sessions; session++) records.push(...round(`s${session}`, `c${head}`, head, at++));
  }
  return records.slice(0, total);
}
