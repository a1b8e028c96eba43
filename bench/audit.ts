import { cpus } from 'node:os';
import { performance } from 'node:perf_hooks';
import { createAudit } from '@/lib/audit/audit';
import type { TelemetryRecord } from '@/lib/wire/schema';

/**
 * Speed of the audit, on one core: records per second over a long history of many sessions, how the time per
 * record grows with the history's length, and what is kept in memory. Usage: tsx bench/audit.ts [records]
 */
const SESSIONS = 1_000;
const SHORT = 10_000;
const LONG = Number(process.argv[2] ?? 1_000_000);
const RATE_MIN = 200_000;
const GROWTH_MAX = 1.3;

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

function history(total: number): TelemetryRecord[] {
  const records: TelemetryRecord[] = [];
  let at = 1_764_500_000_000;
  for (let session = 0; session < SESSIONS; session++) {
    records.push({ type: 'session', event: 'created', session: `s${session}`, generation: 'g1', at });
  }
  for (let head = 0; records.length < total; head += 10) {
    for (let session = 0; session < SESSIONS; session++) records.push(...round(`s${session}`, `c${head}`, head, at++));
  }
  return records.slice(0, total);
}

/** Nanoseconds per record without the making of the records, which is timed alone. */
function measure(total: number): { nsPerRecord: number; findings: number; heapMb: number } {
  const records = history(total);
  globalThis.gc?.();
  const before = process.memoryUsage().heapUsed;
  const audit = createAudit();
  let findings = 0;
  const started = performance.now();
  for (let index = 0; index < records.length; index++) {
    const record = records[index];
    if (record !== undefined) audit.push(record, index);
    if (index % 1_000 === 0) {
      findings += audit.drainFindings().length;
      audit.drainResumes();
    }
  }
  const ms = performance.now() - started;
  audit.drainResumes();
  globalThis.gc?.();
  const heapMb = (process.memoryUsage().heapUsed - before) / 1_048_576;
  return { nsPerRecord: (ms * 1e6) / records.length, findings: findings + audit.drainFindings().length, heapMb };
}

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

measure(SHORT * 5);
const shortNs = median(Array.from({ length: 7 }, () => measure(SHORT).nsPerRecord));
const mid = measure(LONG / 10);
const long = measure(LONG);
const rate = Math.round(1e9 / long.nsPerRecord);
const growth = long.nsPerRecord / shortNs;

console.log(`node ${process.version}, ${cpus()[0]?.model ?? 'unknown cpu'}`);
console.log(`${LONG} records of ${SESSIONS} sessions: ${rate} records/s, ${Math.round(long.nsPerRecord)} ns each`);
console.log(`${SHORT} records: ${Math.round(shortNs)} ns each; growth ${growth.toFixed(2)} (at most ${GROWTH_MAX})`);
console.log(
  `heap kept: ${mid.heapMb.toFixed(1)} MB after ${LONG / 10}, ${long.heapMb.toFixed(1)} MB after ${LONG}; findings ${long.findings}`,
);
if (rate < RATE_MIN || growth > GROWTH_MAX) process.exitCode = 1;
