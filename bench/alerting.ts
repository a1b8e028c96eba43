/**
 * From committed attempt to webhook received, for an immediate rule, with and without other traffic. Prints
 * milliseconds and the share of the 5 s budget that the 95th percentile takes; ends with 1 when it takes more than
 * all of it.
 *
 * Run: npx tsx bench/alerting.ts [--quick]
 */
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { attemptRecord } from '@/tests/integration/attempt-record';
import { startTestDatabase } from '@/tests/integration/database';
import { startEdge } from '@/tests/integration/edge';

const BUDGET_MS = 5_000;
const isQuick = process.argv.includes('--quick');
const SAMPLES = isQuick ? 15 : 60;
const LOAD_BATCH = 500;
const LOAD_PAUSE_MS = 100;

const arrivals = new Map<string, (atMs: number) => void>();
const receiver = createServer((request, response) => {
  let body = '';
  request.on('data', (chunk: Buffer) => {
    body += chunk.toString('utf8');
  });
  request.on('end', () => {
    const at = performance.now();
    const server: unknown = JSON.parse(body).data.labels.server;
    if (typeof server === 'string') arrivals.get(server)?.(at);
    response.writeHead(204).end();
  });
});
await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;

const database = await startTestDatabase();
const edge = await startEdge(
  database.postgres.connection,
  {},
  {
    alerts: {
      baseUrl: 'https://tidemark.example',
      config: {
        channels: [{ name: 'bench', type: 'webhook', url, secret: null }],
        rules: [{ name: 'immediate', measure: 'unsafe_resume', threshold: 1, group_by: ['server'], window_s: 5, channels: ['bench'] }],
        allowPrivateTargets: ['127.0.0.1/32'],
      },
    },
  },
);

async function delayOf(server: string): Promise<number> {
  const arrived = new Promise<number>((resolve) => arrivals.set(server, resolve));
  await edge.services.intake.submit([attemptRecord({ server, session: server })]);
  const committed = performance.now();
  return (await arrived) - committed;
}

async function measure(name: string): Promise<number> {
  const delays: number[] = [];
  for (let sample = 0; sample < SAMPLES; sample += 1) {
    delays.push(await delayOf(`bench-${randomUUID()}`));
    // Attempts come at any point of the evaluator's pause.
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 1500));
  }
  const sorted = delays.sort((a, b) => a - b);
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  console.log(
    `${name}: p50 ${at(0.5).toFixed(0)} ms, p95 ${at(0.95).toFixed(0)} ms, max ${at(1).toFixed(0)} ms, p95 / budget ${(at(0.95) / BUDGET_MS).toFixed(2)}`,
  );
  return at(0.95);
}

const idle = await measure('idle');
let isLoading = true;
let loaded = 0;
const load = (async () => {
  while (isLoading) {
    const batch = Array.from({ length: LOAD_BATCH }, (_, index) =>
      attemptRecord({ server: 'load', session: `s${index % 50}`, cursor: 1050, verdict: 'resumed' }),
    );
    await edge.services.intake.submit(batch);
    loaded += batch.length;
    await new Promise((resolve) => setTimeout(resolve, LOAD_PAUSE_MS));
  }
})();
const started = performance.now();
const busy = await measure('under load');
isLoading = false;
await load;
console.log(`load: ${Math.round(loaded / ((performance.now() - started) / 1000))} attempts/s beside it`);

await edge.stop();
await database.stop();
receiver.closeAllConnections();
receiver.close();
process.exitCode = Math.max(idle, busy) > BUDGET_MS ? 1 : 0;
