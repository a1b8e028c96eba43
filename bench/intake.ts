import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { Transactions } from '@/db/transactions';
import { startTestDatabase } from '@/tests/integration/database';
import { batchesOf } from './intake/attempts';
import { manyConnections } from './intake/connections';
import { copyRows, exportRows, hasPsql } from './intake/copy';
import { overload } from './intake/overload';
import { cpuNow, cpuText } from './intake/process-cpu';
import { httpSender, paced, saturate, sendersOf, socketSender } from './intake/senders';

/**
 * Intake end to end against COPY: records over HTTP and over WebSocket, decoded, judged, committed and rolled up,
 * measured beside psql's `\\copy` (or, where there is no psql, one COPY by a driver) of the same rows into the same
 * table, round about round in one run, with what each process spends per record. Then the time to the acknowledgement at
 * half of that load. When asked for: the memory under overload, with the edge as it is deployed, and thousands of connections.
 * Rounds run without auditor and alerting, which follow the intake in their own time.
 *
 * `--only` runs some parts alone: `rounds`, `ack` (with `rounds`, whose median is the load), `overload`, `connections`.
 *
 * usage: npm run bench:intake -- [--per-post 1000] [--per-round 100000] [--rounds 3] [--overload-minutes 0] [--connections 0]
 *          [--only rounds,ack] [--profile <folder>]
 */
const PARTS = ['rounds', 'ack', 'overload', 'connections'] as const;
const { values } = parseArgs({
  options: {
    'per-post': { type: 'string', default: '1000' },
    'per-round': { type: 'string', default: '100000' },
    rounds: { type: 'string', default: '3' },
    'overload-minutes': { type: 'string', default: '0' },
    connections: { type: 'string', default: '0' },
    only: { type: 'string', default: PARTS.join(',') },
    profile: { type: 'string' },
  },
});
const perPost = Number(values['per-post']);
const perRound = Number(values['per-round']);
const rounds = Number(values.rounds);
const overloadMinutes = Number(values['overload-minutes']);
const connections = Number(values.connections);
const only = new Set(values.only.split(','));
const CONNECTIONS = 16;
/** What is measured is an edge that has run for a while: until then, a third of what it spends goes into compiling itself. */
const WARM_UP_RECORDS = 200_000;
const PACED_S = 10;
/** Required of the ratio to COPY: at 1,000 records per POST and more, and below. */
const REQUIRED = perPost >= 1_000 ? 0.6 : 0.5;
const SOCKET_REQUIRED = 0.9;
const P99_MS_MAX = 250;

const database = await startTestDatabase();
const { connection } = database.postgres;
const transactions = new Transactions(connection, 1, 'bench');
const profiling = values.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${values.profile}`];
const flags = ['--max-semi-space-size=64', ...profiling];
const file = await bundledEdge();
const isDone: boolean[] = [];
if (['connections', 'rounds'].some((part) => only.has(part))) await withEdge('alone', intakeParts);
if (only.has('overload') && overloadMinutes > 0) {
  await withEdge('deployed', async ({ base, pid }) => {
    console.log('overload: the edge as it is deployed, its auditor and its alerting on');
    isDone.push(await overload({ base, pid, minutes: overloadMinutes, perPost, emptied }));
  });
}
await transactions.close();
await database.stop();
process.exitCode = isDone.every(Boolean) ? 0 : 1;

interface RunningEdge {
  readonly base: string;
  readonly pid: number;
}

/** Runs the edge in a process of its own: `deployed` as `npm start` does, `alone` without auditor and alerting, for what intake itself costs. */
async function withEdge(how: 'alone' | 'deployed', work: (edge: RunningEdge) => Promise<void>): Promise<void> {
  const edge = spawn(process.execPath, [...flags, file, JSON.stringify(connection), how], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(edge, 'exit');
  const [line] = await once(createInterface(edge.stdout), 'line');
  await work({ base: String(line), pid: edge.pid ?? 0 });
  edge.kill('SIGTERM');
  await ended;
}

async function intakeParts({ base, pid }: RunningEdge): Promise<void> {
  // First, while what the edge holds is what connections cost.
  if (only.has('connections') && connections > 0) isDone.push(await manyConnections({ base, pid, connections, emptied }));
  if (only.has('rounds')) isDone.push(await measured({ base, pid }));
}

/** The edge and its auditor's thread as one file each, as production runs them: the loader of TypeScript slows down what it loads. */
async function bundledEdge(): Promise<string> {
  const outdir = 'node_modules/.cache/tidemark-bench/edge';
  await build({
    entryPoints: { edge: 'bench/intake-edge.ts', 'auditor-worker': 'server/auditor-worker.ts' },
    outdir,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    packages: 'external',
    logLevel: 'warning',
  });
  writeFileSync(join(outdir, 'package.json'), '{"type":"module"}');
  return join(outdir, 'edge.js');
}

/** Empties the table and answers with the rows that it had. */
async function emptied(): Promise<number> {
  const counted = await transactions.run((tx) => tx.query<{ rows: string }>('select count(*) as rows from attempt'));
  await transactions.run((tx) => tx.query('truncate attempt'));
  return Number(counted.rows[0]?.rows);
}

/** Milliseconds of some work on an empty table, begun when no fold is left over; says what each process spent on a record. */
async function timed({ base, pid }: RunningEdge, name: string, work: () => Promise<number>): Promise<number> {
  await emptied();
  await settle(base);
  const before = cpuNow(pid, database.postgres.pid());
  const ms = await work();
  await settle(base);
  console.log(`  ${name}: ${cpuText(before, cpuNow(pid, database.postgres.pid()), perRound)}`);
  return ms;
}

/** Answers when everything that was stored is in the rollups. */
async function settle(base: string): Promise<void> {
  const answer = await fetch(`${base}/api/v1/summary`);
  if (!answer.ok) throw new Error(`the summary answered ${answer.status}`);
  await answer.arrayBuffer();
}

async function measured(edge: RunningEdge): Promise<boolean> {
  const { base } = edge;
  const overHttp = await sendersOf(base, CONNECTIONS, httpSender);
  const overSocket = await sendersOf(base, CONNECTIONS, socketSender);
  const rowsFile = join(database.dataDir, 'rows.txt');
  const ratios: number[] = [];
  const socketRatios: number[] = [];
  const rates: number[] = [];
  await saturate(overHttp, batchesOf(WARM_UP_RECORDS, perPost));
  for (let round = 1; round <= rounds; round++) {
    const byHttp = batchesOf(perRound, perPost);
    const intake = await timed(edge, 'HTTP', () => saturate(overHttp, byHttp));
    await exportRows(transactions, rowsFile);
    const copy = await timed(edge, 'copy', () => copyRows(transactions, connection, rowsFile));
    const bySocket = batchesOf(perRound, perPost);
    const socket = await timed(edge, 'WebSocket', () => saturate(overSocket, bySocket));
    ratios.push(copy / intake);
    socketRatios.push(intake / socket);
    rates.push((perRound / intake) * 1000);
    console.log(
      `round ${round}: HTTP ${rate(intake)}, WebSocket ${rate(socket)}, copy ${rate(copy)}, ratios ${fixed(copy / intake)} and ${fixed(intake / socket)}`,
    );
  }
  const by = hasPsql() ? 'psql \\copy' : 'COPY';
  console.log(`HTTP at ${perPost} per POST: ${fixed(median(ratios))} of ${by} of the same rows (at least ${REQUIRED} is required)`);
  console.log(`WebSocket: ${fixed(median(socketRatios))} of HTTP (at least ${SOCKET_REQUIRED} is required)`);
  const isAckFast = !only.has('ack') || (await acknowledged(overHttp, median(rates) / 2 / perPost));
  for (const { close } of [...overHttp, ...overSocket]) close();
  return median(ratios) >= REQUIRED && median(socketRatios) >= SOCKET_REQUIRED && isAckFast;
}

async function acknowledged(senders: Parameters<typeof paced>[0], postsPerSecond: number): Promise<boolean> {
  await emptied();
  const waits = await paced(senders, batchesOf(Math.ceil(postsPerSecond * PACED_S) * perPost, perPost), postsPerSecond);
  const p99 = waits.toSorted((a, b) => a - b)[Math.floor(waits.length * 0.99)] ?? 0;
  console.log(`p99 acknowledgement at half of the saturating load: ${Math.round(p99)} ms (at most ${P99_MS_MAX} ms is required)`);
  return p99 < P99_MS_MAX;
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
