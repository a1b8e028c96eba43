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
import { httpSender, paced, type Sender, saturate, socketSender } from './intake/senders';

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
/** Records that senders hold out at a time under overload: more than the intake lets wait. */
const OVERLOAD_RECORDS = 256_000;
const OVERLOAD_STEPS = 6;
const FLAT_MAX = 1.1;

const database = await startTestDatabase();
const { connection } = database.postgres;
const transactions = new Transactions(connection, 1, 'bench');
const edge = spawn(process.execPath, ['--max-semi-space-size=64', await bundledEdge(), JSON.stringify(connection)], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
const [line] = await once(createInterface(edge.stdout), 'line');
const base = String(line);
const file = join(database.dataDir, 'rows.txt');
const overHttp = await sendersOf(CONNECTIONS, httpSender);
const overSocket = await sendersOf(CONNECTIONS, socketSender);

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
const waits = await emptied(() => paced(overHttp, batchesOf(Math.ceil(postsPerSecond * PACED_S) * perPost, perPost), postsPerSecond));
const p99 = waits.toSorted((a, b) => a - b)[Math.floor(waits.length * 0.99)] ?? 0;
const isFlat = overloadMinutes === 0 || (await overload());

const by = hasPsql() ? 'psql \\copy' : 'COPY';
console.log(`HTTP at ${perPost} per POST: ${fixed(median(ratios))} of ${by} of the same rows (at least ${REQUIRED} is required)`);
console.log(`WebSocket: ${fixed(median(socketRatios))} of HTTP (at least ${SOCKET_REQUIRED} is required)`);
console.log(`p99 acknowledgement at half of the saturating load: ${Math.round(p99)} ms (at most ${P99_MS_MAX} ms is required)`);
for (const { close } of [...overHttp, ...overSocket]) close();
edge.kill('SIGTERM');
await once(edge, 'exit');
await transactions.close();
await database.stop();
process.exitCode = median(ratios) >= REQUIRED && median(socketRatios) >= SOCKET_REQUIRED && p99 < P99_MS_MAX && isFlat ? 0 : 1;

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

function sendersOf(count: number, open: (base: string) => Promise<Sender>): Promise<Sender[]> {
  return Promise.all(Array.from({ length: count }, () => open(base)));
}

/**
 * More senders than the intake has room for, without a pause, the table emptied six times a minute. What the edge holds must
 * not grow: after a first quarter of the time it is the second half of what is left against the first.
 */
async function overload(): Promise<boolean> {
  const heavy = await sendersOf(Math.ceil(OVERLOAD_RECORDS / perPost), httpSender);
  const held: number[] = [];
  for (let step = 0; step < overloadMinutes * OVERLOAD_STEPS; step++) {
    const until = performance.now() + 60_000 / OVERLOAD_STEPS;
    await transactions.run((tx) => tx.query('truncate attempt'));
    let taken = 0;
    let refused = 0;
    const push = async ({ send }: Sender): Promise<void> => {
      while (performance.now() < until) {
        for (const batch of batchesOf(perPost, perPost)) {
          if (await send(batch)) taken++;
          else {
            refused++;
            await new Promise((resolve) => setTimeout(resolve, 100));
          }
        }
      }
    };
    await Promise.all(heavy.map(push));
    held.push(residentMb(edge.pid));
    const minutes = ((step + 1) / OVERLOAD_STEPS).toFixed(1);
    console.log(`overload, ${minutes} min: ${taken} batches taken, ${refused} refused; the edge holds ${held.at(-1)} MB`);
  }
  for (const { close } of heavy) close();
  const settled = held.slice(Math.ceil(held.length / 4));
  const middle = Math.ceil(settled.length / 2);
  const [early, late] = [median(settled.slice(0, middle)), median(settled.slice(middle))];
  const isFlat = late <= early * FLAT_MAX;
  console.log(`memory under overload: ${early} MB, later ${late} MB: ${isFlat ? 'flat' : 'grows'} (at most ${FLAT_MAX} times is flat)`);
  return isFlat;
}

/** Megabytes that a process holds; only Linux tells it this way. */
function residentMb(pid: number | undefined): number {
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Math.round(Number(kilobytes) / 1024);
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
