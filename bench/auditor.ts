import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { connectDatabase } from '@/db/connect';
import { Transactions } from '@/db/transactions';
import { Auditor } from '@/lib/auditor/auditor';
import { PostgresAuditSource } from '@/lib/store/audit-source';
import { SessionRefs } from '@/lib/store/session-ref';
import type { TelemetryRecord } from '@/lib/wire/schema';
import { startTestDatabase } from '@/tests/integration/database';
import { startEdge, TEST_SECRET } from '@/tests/integration/edge';
import { history } from './audit-history';

/**
 * How fast stored records are followed, against how fast the intake takes them, in one run: the same records are
 * handed in over HTTP one batch after the other, then read, audited, stored and saved by the auditor alone.
 *
 * usage: tsx bench/auditor.ts [records] [records per POST] [bare]
 */
const [total = 200_000, perPost = 5_000] = process.argv.slice(2, 4).map(Number);
/** Without facts of their own one record in ten, every attempt, is judged anew. */
const hasFacts = process.argv[4] !== 'bare';
const SESSIONS = 1_000;
/** Of the rate of an intake that has the machine to itself. */
const FOLLOW_MIN = 0.8;
const LIMITS = { settleMs: 60_000, sessionsMax: 10_000 };

const database = await startTestDatabase();
const edge = await startEdge(database.postgres.connection);
const records = history(SESSIONS, total, Date.now() - 3_600_000).map((record) =>
  JSON.stringify({ ...record, ...(hasFacts ? factsOf(record) : {}), id: randomUUID(), server: 'bench' }),
);
const batches = Array.from({ length: Math.ceil(total / perPost) }, (_, index) =>
  records.slice(index * perPost, (index + 1) * perPost).join('\n'),
);

const intakeBegan = performance.now();
for (const body of batches) {
  const response = await fetch(`${edge.base}/api/v1/telemetry`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-ndjson' },
    body,
  });
  if (response.status !== 202) throw new Error(`intake answered ${response.status}`);
  await response.arrayBuffer();
}
const intakeRate = (total / (performance.now() - intakeBegan)) * 1_000;

const sql = connectDatabase(database.postgres.connection, 2, 'bench');
const locks = connectDatabase(database.postgres.connection, 1, 'bench locks');
const transactions = new Transactions(database.postgres.connection, 1, 'bench');
const refs = new SessionRefs(TEST_SECRET);
let audited = 0;
let rejudged = 0;
const auditor = new Auditor({
  source: new PostgresAuditSource(sql, locks, transactions, (server) => refs.unnamedOf(server), Date.now),
  limits: LIMITS,
  pageRecords: 5_000,
  checkpointMs: 5_000,
  now: Date.now,
  onStored: (stored, count) => {
    audited += count;
    rejudged += stored.rejudged;
  },
  onTrouble: (_server, cause) => {
    throw cause;
  },
});
const auditBegan = performance.now();
while (audited < total) await auditor.round();
const auditRate = (total / (performance.now() - auditBegan)) * 1_000;
const saveBegan = performance.now();
await auditor.close();
const savedMs = performance.now() - saveBegan;

console.log(`node ${process.version}: ${total} records of ${SESSIONS} sessions, ${perPost} per POST`);
console.log(
  `intake ${Math.round(intakeRate)} records/s, auditor ${Math.round(auditRate)} records/s, ratio ${(auditRate / intakeRate).toFixed(2)}`,
);
console.log(`${rejudged} attempts judged anew`);
console.log(`last checkpoint ${Math.round(savedMs)} ms; ${Math.round(process.memoryUsage().heapUsed / 1_048_576)} MB of heap in use`);
await Promise.all([transactions.close(), sql.end({ timeout: 1 }), locks.end({ timeout: 1 }), edge.stop()]);
await database.stop();
process.exitCode = auditRate >= FOLLOW_MIN * intakeRate ? 0 : 1;

/** What a server that reports well says of an attempt. */
function factsOf(record: TelemetryRecord): object {
  if (record.type !== 'resume_attempt') return {};
  const head = Number(record.last_event_id);
  return { cursor: head, requested_generation: 'g1', session_state: 'live', floor: Math.max(1, head - 90), head, replayed: { count: 0 } };
}
