import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, createWriteStream, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { Transactions } from '@/db/transactions';
import { startTestDatabase } from '@/tests/integration/database';
import { batchesOf } from './intake/attempts';
import { httpSender, paced, saturate, socketSender } from './intake/senders';

/**
 * Intake end to end against COPY: records over HTTP and over WebSocket, decoded, judged, committed and rolled up,
 * measured beside psql's `\\copy` (or, where there is no psql, one COPY by a driver) of the same rows into the same
 * table, round about round in one run. Then the time to the acknowledgement at half of that load and, when asked for,
 * the memory under overload.
 *
 * usage: npm run bench:intake -- [--per-post 1000] [--per-round 100000] [--rounds 3] [--overload-minutes 0]
 */
const { values } = parseArgs({
  options: {
    'per-post': { type: 'string', default: '1000' },
    'per-round': { type: 'string', default: '100000' },
    rounds: { type: 'string', default: '3' },
    'overload-minutes': { type: 'string', default: '0' },
  },
});
const [perPost, perRound, rounds, overloadMinutes] = [
  values['per-post'],
  values['per-round'],
  values.rounds,
  values['overload-minutes'],
].map(Number) as [number, number, number, number];
const CONNECTIONS = 16;
const PACED_S = 10;
/** Required of the ratio to COPY: at 1,000 records per POST and more, and below. */
const REQUIRED = perPost >= 1_000 ? 0.6 : 0.5;
const SOCKET_REQUIRED = 0.9;
const P99_MS_MAX = 250;

const database = await startTestDatabase();
const { connection } = database.postgres;
const transactions = new Transactions(connection, 1, 'bench');
const edge = spawn(process.execPath, ['--max-semi-space-size=64', await bundledEdge(), JSON.stringify(connection)], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
const [line] = await once(createInterface(edge.stdout), 'line');
const base = String(line);
const file = join(database.dataDir, 'rows.txt');
const http = httpSender(new URL('/api/v1/telemetry', base), CONNECTIONS);
const overHttp = Array.from({ length: CONNECTIONS }, () => http);
const overSocket = await Promise.all(Array.from({ length: CONNECTIONS }, () => socketSender(base)));

const ratios: number[] = [];
const socketRatios: number[] = [];
const rates: number[] = [];
await saturate(overHttp, batchesOf(5_000, perPost));
for (let round = 1; round <= rounds; round++) {
  const intake = await emptied(() => saturate(overHttp, batchesOf(perRound, perPost)));
  await exportRows();
  const copy = await emptied(copyRound);
  const socket = await emptied(() => saturate(overSocket, batchesOf(perRound, perPost)));
  ratios.push(copy / intake);
  socketRatios.push(intake / socket);
  rates.push((perRound / intake) * 1000);
  console.log(
    `round ${round}: HTTP ${rate(intake)}, WebSocket ${rate(socket)}, copy ${rate(copy)}, ratios ${fixed(copy / intake)} and ${fixed(intake / socket)}`,
  );
}
const postsPerSecond = median(rates) / 2 / perPost;
const waits = await emptied(() => paced(http, batchesOf(Math.ceil(postsPerSecond * PACED_S) * perPost, perPost), postsPerSecond));
const p99 = waits.toSorted((a, b) => a - b)[Math.floor(waits.length * 0.99)] ?? 0;
if (overloadMinutes > 0) await overload();

const by = hasPsql() ? 'psql \\copy' : 'COPY';
console.log(`HTTP at ${perPost} per POST: ${fixed(median(ratios))} of ${by} of the same rows (at least ${REQUIRED} is required)`);
console.log(`WebSocket: ${fixed(median(socketRatios))} of HTTP (at least ${SOCKET_REQUIRED} is required)`);
console.log(`p99 acknowledgement at half of the saturating load: ${Math.round(p99)} ms (at most ${P99_MS_MAX} ms is required)`);
http.close();
for (const { close } of overSocket) close();
edge.kill('SIGTERM');
await once(edge, 'exit');
await transactions.close();
await database.stop();
process.exitCode = median(ratios) >= REQUIRED && median(socketRatios) >= SOCKET_REQUIRED && p99 < P99_MS_MAX ? 0 : 1;

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

async function emptied<T>(work: () => Promise<T>): Promise<T> {
  await transactions.run((tx) => tx.query('truncate attempt'));
  return work();
}

/** Four times the connections that saturate it, without a pause: says what the edge holds in memory, minute by minute. */
async function overload(): Promise<void> {
  const heavy = httpSender(new URL('/api/v1/telemetry', base), 4 * CONNECTIONS);
  for (let minute = 1; minute <= overloadMinutes; minute++) {
    const until = performance.now() + 60_000;
    await transactions.run((tx) => tx.query('truncate attempt'));
    const push = async (): Promise<void> => {
      while (performance.now() < until) for (const batch of batchesOf(perPost, perPost)) await heavy.send(batch);
    };
    await Promise.all(Array.from({ length: 4 * CONNECTIONS }, push));
    console.log(`overload, minute ${minute}: the edge holds ${residentMb(edge.pid)} MB`);
  }
  heavy.close();
}

function residentMb(pid: number | undefined): string {
  try {
    const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return (Number(kilobytes) / 1024).toFixed(0);
  } catch {
    // Only Linux tells it this way.
    return 'an unknown number of';
  }
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

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

function fixed(value: number): string {
  return value.toFixed(2);
}
