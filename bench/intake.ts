import { execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream/promises';
import { build } from 'esbuild';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { Transactions } from '@/db/transactions';
import { startTestDatabase } from '@/tests/integration/database';

/**
 * Intake end to end against COPY: NDJSON over HTTP, decoded, judged, committed and rolled up, measured beside
 * psql's `\copy` (or, where there is no psql, one COPY by a driver) of the same rows into the same table, round
 * about round in one run.
 *
 * usage: npm run bench:intake [records per POST] [records per round] [rounds]
 */
const [perPost = 1_000, perRound = 100_000, rounds = 3] = process.argv.slice(2).map(Number);
const CONNECTIONS = 16;
const GOAL = 0.4;

const database = await startTestDatabase();
const { connection } = database.postgres;
const transactions = new Transactions(connection, 1, 'bench');
const edge = spawn(process.execPath, ['--max-semi-space-size=64', await bundledEdge(), JSON.stringify(connection)], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
const [base] = await once(createInterface(edge.stdout), 'line');
const url = new URL('/api/v1/telemetry', String(base));
const file = join(database.dataDir, 'rows.txt');

const ratios: number[] = [];
await intakeRound(bodies(5_000));
for (let round = 1; round <= rounds; round++) {
  await transactions.run((tx) => tx.query('truncate attempt'));
  const intake = await intakeRound(bodies(perRound));
  await exportRows();
  await transactions.run((tx) => tx.query('truncate attempt'));
  const copy = await copyRound();
  ratios.push(copy / intake);
  console.log(`round ${round}: intake ${rate(intake)}, copy ${rate(copy)}, ratio ${(copy / intake).toFixed(2)}`);
}
const median = ratios.toSorted((a, b) => a - b)[Math.floor(ratios.length / 2)] ?? 0;
console.log(
  `intake at ${perPost} per POST: ${median.toFixed(2)} of ${hasPsql() ? 'psql \\copy' : 'COPY'} of the same rows (at least ${GOAL} is required)`,
);
edge.kill('SIGTERM');
await once(edge, 'exit');
await transactions.close();
await database.stop();
process.exitCode = median >= GOAL ? 0 : 1;

/** The edge as one file, as production runs it: the loader of TypeScript slows down what it loads. */
async function bundledEdge(): Promise<string> {
  const outfile = 'node_modules/.cache/tidemark-bench/edge.mjs';
  await build({
    entryPoints: ['bench/intake-edge.ts'],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    packages: 'external',
    logLevel: 'warning',
  });
  return outfile;
}

/** Request bodies of attempts as a fleet sends them: 200 servers, 5,000 sessions, most of them resumed rightly. */
function bodies(records: number): Buffer[] {
  const made: Buffer[] = [];
  for (let first = 0; first < records; first += perPost) {
    const lines = Array.from({ length: Math.min(perPost, records - first) }, (_, i) => JSON.stringify(attempt(first + i)));
    made.push(Buffer.from(lines.join('\n')));
  }
  return made;
}

function attempt(i: number): object {
  const head = 1_000 + (i % 50_000);
  const cursor = head - (i % 97);
  const isLost = i % 50 === 0;
  const session = ((i * 2_654_435_761) >>> 0) % 5_000;
  return {
    type: 'resume_attempt',
    id: randomUUID(),
    at: Date.now() - (i % 60_000),
    server: `server-${session % 200}`,
    node: `node-${session % 400}`,
    session: `session-${session}`,
    generation: 3,
    requested_generation: 3,
    protocol_version: '2025-11-25',
    session_state: 'live',
    last_event_id: String(cursor),
    cursor,
    floor: isLost ? cursor + 10 : Math.max(0, head - 500),
    head,
    verdict: 'resumed',
    status: 200,
    replayed: { count: head - cursor },
    latency_ms: (i * 37) % 900,
    client: { name: 'bench', version: '1.4.2' },
  };
}

/** Milliseconds from the first request to the last acknowledgement. */
async function intakeRound(batches: Buffer[]): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  let next = 0;
  const began = performance.now();
  const sender = async (): Promise<void> => {
    for (let batch = batches[next++]; batch !== undefined; batch = batches[next++]) await post(batch, agent);
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, sender));
  const ms = performance.now() - began;
  agent.destroy();
  return ms;
}

async function post(batch: Buffer, agent: Agent): Promise<void> {
  const headers = { 'content-type': 'application/x-ndjson', 'content-length': batch.length };
  const sent = request(url, { method: 'POST', agent, headers });
  sent.end(batch);
  const [response] = await once(sent, 'response');
  response.resume();
  await once(response, 'end');
  if (response.statusCode !== 202) throw new Error(`intake answered ${response.statusCode}`);
}

function exportRows(): Promise<void> {
  return transactions.run((tx) => pipeline(tx.query(copyTo('copy (select * from attempt) to stdout')), createWriteStream(file)));
}

async function copyRound(): Promise<number> {
  const began = performance.now();
  if (hasPsql()) {
    const { host, port, user, database: name } = connection;
    execFileSync('psql', ['-qX', '-h', host, '-p', String(port), '-U', user, '-d', name, '-c', `\\copy attempt from '${file}'`]);
  } else await transactions.run((tx) => pipeline(createReadStream(file), tx.query(copyFrom('copy attempt from stdin'))));
  return performance.now() - began;
}

function hasPsql(): boolean {
  try {
    execFileSync('psql', ['--version']);
    return true;
  } catch {
    // No psql on this machine: the driver's COPY is measured instead.
    return false;
  }
}

function rate(ms: number): string {
  return `${Math.round((perRound / ms) * 1000).toLocaleString('en')} records/s`;
}
