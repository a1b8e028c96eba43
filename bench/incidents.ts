import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { connectDatabase } from '@/db/connect';
import { startEmbeddedPostgres } from '@/lib/postgres/supervisor';
import { HistoryPool } from '@/server/history/history-pool';
import { openServices } from '@/server/services';

/**
 * What-if over a million stored attempts (limit 5 s), and opening and paging an incident of 100,000 records (limit 2 s), each
 * through the thread that does it, beside reading the same rows once.
 */
const { values } = parseArgs({
  options: { attempts: { type: 'string', default: '1000000' }, records: { type: 'string', default: '100000' } },
});
const ATTEMPTS = Number(values.attempts);
const RECORDS = Number(values.records);
const secret = new TextEncoder().encode('a secret of thirty-two bytes, at least');

const dataDir = mkdtempSync(join(tmpdir(), 'tidemark-bench-'));
const postgres = await startEmbeddedPostgres({ dataDir });
const database = postgres.connection;
const services = await openServices({ database, secret, auth: 'off' }, { log: () => undefined });
await services.close();
const sql = connectDatabase(database, 1, 'bench');
await sql`set statement_timeout = 0`;
await sql`insert into server (name) values ('bench')`;
const day = Math.floor(Date.now() / 86_400_000) * 86_400_000;
await sql`
  insert into attempt (at, id, received_at, arrival, server_id, act, assessment, mark, is_unavailable, body)
  select to_timestamp(${day} / 1000.0) + n * interval '10 milliseconds', gen_random_uuid(), now(), n, (select id from server where name = 'bench'), 0, 0, 4, false,
    json_build_object('type', 'resume_attempt', 'verdict', 'resumed', 'status', 200, 'last_event_id', n::text, 'cursor', n % 5000, 'floor', 1000 + n % 97,
      'head', 3000 + n % 4001, 'generation', 3, 'requested_generation', 3, 'session_state', 'live')::text
  from generate_series(1, ${ATTEMPTS}::int) n`;
await sql`analyze attempt`;

const pool = new HistoryPool({ database, secret }, 1);
let failed = false;
try {
  await pool.run({ type: 'retention', period: { server: 'nobody', fromMs: 0, toMs: 1 } });
  const reading = await timed(async () => {
    let rows = 0;
    for await (const page of sql`select body from attempt`.cursor(5_000)) rows += page.length;
    return rows;
  });
  const text = JSON.stringify({ server: 'bench', from: day, to: day + 86_400_000, change: { buffer: { events: 4000 } } });
  let reports = 0;
  const asked = await timed(() => pool.run({ type: 'whatif', text }, { onProgress: () => reports++ }));
  const { attempts, changed } = JSON.parse(String(asked.value)) as { attempts: number; changed: number };
  report(
    `what if over ${attempts} stored attempts`,
    asked.ms,
    5_000,
    `${changed} changed, ${reports} reports, ${(asked.ms / reading.ms).toFixed(1)} times reading the rows`,
  );

  const incident = '00000000-0000-4000-8000-000000000001';
  await sql`
    insert into incident (id, is_current, server, title, state, severity, opened_at, last_evidence_at)
    values (${incident}, false, 'bench', 'bench', 'open', 'info', now(), now())`;
  await sql`
    insert into incident_record (incident_id, place, record_id, body)
    select ${incident}, n, gen_random_uuid(), case n % 3
      when 0 then json_build_object('type', 'emit', 'session', 's', 'event_id', 'E_' || n)
      when 1 then json_build_object('type', 'deliver', 'session', 's', 'conn', 'c' || n % 7, 'event_ids', json_build_array('E_' || n - 1))
      else json_build_object('type', 'evict', 'session', 's', 'floor', 'E_' || greatest(0, n - 902)) end::text
    from generate_series(0, ${RECORDS - 1}::int) n`;
  const page = (first: number) => timed(() => pool.run({ type: 'timeline', incident, first, limit: 1_000 }));
  const opened = await page(0);
  report(`first page of an incident of ${RECORDS} records, audited and folded`, opened.ms, 2_000, 'from a cold thread');
  const later = await page(Math.floor(RECORDS / 2));
  report('a page from its middle', later.ms, 2_000, `${(opened.ms / later.ms).toFixed(0)} times faster than opening it`);
} finally {
  await pool.close();
  await sql.end({ timeout: 5 });
  await postgres.stop();
  rmSync(dataDir, { recursive: true, force: true });
}
process.exitCode = failed ? 1 : 0;

function report(name: string, ms: number, limit: number, more: string): void {
  failed ||= ms >= limit;
  console.log(`${ms < limit ? 'ok  ' : 'SLOW'} ${name}: ${ms.toFixed(0)} ms of ${limit}; ${more}`);
}

async function timed<T>(work: () => Promise<T>): Promise<{ value: T; ms: number }> {
  const start = performance.now();
  const value = await work();
  return { value, ms: performance.now() - start };
}
