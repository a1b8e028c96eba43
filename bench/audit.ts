import { cpus } from 'node:os';
import { performance } from 'node:perf_hooks';
import { createAudit } from '@/lib/audit/audit';
import { history } from './audit-history';

/**
 * Speed of the audit, on one core: records per second over a long history of many sessions, how the time per
 * record grows with the history's length, and what is kept in memory. Usage: tsx bench/audit.ts [records]
 */
const SESSIONS = 1_000;
const SHORT = 10_000;
const LONG = Number(process.argv[2] ?? 1_000_000);
const RATE_MIN = 200_000;
const GROWTH_MAX = 1.3;

/** Nanoseconds per record without the making of the records, which is timed alone. */
function measure(total: number): { nsPerRecord: number; findings: number; heapMb: number } {
  const records = history(SESSIONS, total);
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
