import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { connectDatabase, type Sql } from '@/db/connect';
import { connectClient } from '@/demo/clients/mcp-client';
import { startV1Server } from '@/demo/servers/sdk-v1-server';
import { createTidemark, guardResume, SessionEventLog, type Tidemark, type TidemarkOptions } from '@/packages/mcp/src/index';
import { call } from './api-client';
import { startAppProcess } from './app-child';
import { type CuttableWay, openWay } from './cuttable-way';
import { startTestDatabase, type TestDatabase } from './database';
import { waitFor } from './wait-for';

const TRANSPORTS = ['http', 'websocket'] as const;

let database: TestDatabase;
let sql: Sql;
const closers: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  database = await startTestDatabase();
  sql = connectDatabase(database.postgres.connection, 2, 'test');
});

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

afterAll(async () => {
  await sql?.end({ timeout: 1 });
  await database?.stop();
});

async function newWay(): Promise<CuttableWay> {
  const way = await openWay();
  closers.push(() => way.close());
  return way;
}

/** Starts the app behind the way; a second call starts it anew. */
async function startApp(way: CuttableWay): Promise<ChildProcess> {
  const { child, base } = await startAppProcess(database.postgres.connection);
  closers.push(() => kill(child));
  way.lead(base);
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

function startReporter(way: CuttableWay, server: string, options: Partial<TidemarkOptions> = {}): Tidemark {
  const quick = { flushIntervalMs: 5, retryBaseMs: 20, retryMaxMs: 200, recording: 'everything', onProblem: () => undefined } as const;
  const tidemark = createTidemark({ url: way.url, server, node: server, ...quick, ...options });
  closers.push(() => tidemark.close(100));
  return tidemark;
}

const newServer = (what: string) => `${what}-${randomUUID()}`;
const tell = (tidemark: Tidemark, code: number) => tidemark.record({ type: 'client', session: 's', event: 'applied', code });
const upTo = (count: number) => Array.from({ length: count }, (_, n) => n);

/** What the stored `client` records of a server say, in ascending order; a record that were stored twice would be there twice. */
async function storedCodes(server: string): Promise<number[]> {
  const rows = await sql<{ body: string }[]>`select r.body from record r join server s on s.id = r.server_id where s.name = ${server}`;
  return rows
    .map(({ body }) => JSON.parse(body) as { type: string; code?: number })
    .flatMap(({ code }) => (code === undefined ? [] : [code]))
    .sort((a, b) => a - b);
}

async function storedTypes(server: string): Promise<string[]> {
  const rows = await sql<{ body: string }[]>`select r.body from record r join server s on s.id = r.server_id where s.name = ${server}`;
  return [...new Set(rows.map(({ body }) => (JSON.parse(body) as { type: string }).type))].sort();
}

async function storedEmits(server: string): Promise<{ session: string; stream: string; position: number }[]> {
  const rows = await sql<{ session: string; body: string }[]>`
    select r.session_ref::text as session, r.body from record r join server s on s.id = r.server_id where s.name = ${server}`;
  return rows.flatMap(({ session, body }) => {
    const { event_id, stream = '', position = 0 } = JSON.parse(body) as { event_id?: string; stream?: string; position?: number };
    return event_id === undefined ? [] : [{ session, stream, position }];
  });
}

const summary = async (way: CuttableWay, server: string) =>
  (await call(`${way.url}/api/v1/summary?from=${Date.now() - 3_600_000}&to=${Date.now() + 60_000}&server=${server}`)).body;

test.each(TRANSPORTS)(
  'over %s, everything is stored once and nothing is missing, though the app is killed twice and the connection cut amid it',
  async (transport) => {
    const way = await newWay();
    let app = await startApp(way);
    const server = newServer(transport);
    const tidemark = startReporter(way, server, { transport, maxBatchRecords: 20 });
    const COUNT = 3000;
    for (const code of upTo(COUNT)) {
      tell(tidemark, code);
      if (code % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
      if (code === 500 || code === 2000) {
        await waitFor(
          async () => tidemark.stats.sent,
          (sent) => sent > code / 2,
        );
        await kill(app);
        app = await startApp(way);
      }
      if (code === 1200) way.cut();
    }
    await tidemark.flush();
    expect(tidemark.stats).toMatchObject({ queued: 0, sent: COUNT + 1, dropped: 0, rejected: 0 });
    expect(await storedCodes(server)).toEqual(upTo(COUNT));
    expect(await summary(way, server)).toMatchObject({ at_least: false, lost_batches: 0, dropped_records: 0, blind: [] });
  },
);

test.each(TRANSPORTS)('over %s, what was dropped while the app was away is counted, and counts say at least', async (transport) => {
  const way = await newWay();
  const app = await startApp(way);
  const server = newServer('dropping');
  const tidemark = startReporter(way, server, { transport, maxBatchRecords: 10, maxQueuedRecords: 50 });
  tell(tidemark, 0);
  await tidemark.flush();
  way.lead(null);
  await kill(app);
  for (const code of upTo(200)) tell(tidemark, code + 1);
  const { dropped } = tidemark.stats;
  expect(dropped).toBeGreaterThan(0);
  await startApp(way);
  await tidemark.flush();
  tell(tidemark, 999);
  await tidemark.flush();
  expect((await storedCodes(server)).length).toBe(202 - dropped);
  expect(await summary(way, server)).toMatchObject({ at_least: true, lost_batches: 0, dropped_records: dropped });
});

/** The folder of what a producer had queued when it was killed: 95 events of the server `s`. */
async function spoolOfKilled(way: CuttableWay): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), 'tidemark-spool-'));
  closers.push(async () => rmSync(directory, { recursive: true, force: true }));
  const child = fork('packages/mcp/tests/spooling-child.ts', [way.url, directory, '95'], { execArgv: ['--import', 'tsx'] });
  closers.push(() => kill(child));
  await once(child, 'message');
  await kill(child);
  return directory;
}

test('what a killed producer had spooled is stored once by its next start, and nothing of it counts as lost', async () => {
  const way = await newWay();
  const directory = await spoolOfKilled(way);
  await startApp(way);
  const next = startReporter(way, 's', { node: 'child', spool: { directory } });
  await next.flush();
  expect(next.stats).toMatchObject({ recovered: 96, corrupt: 0, dropped: 0 });
  expect(await storedCodes('s')).toEqual(upTo(95));
  expect(await summary(way, 's')).toMatchObject({ at_least: false, lost_batches: 0 });
});

test('a record that was damaged in the spool is known to be missing, though its batch arrives', async () => {
  const way = await newWay();
  const directory = await spoolOfKilled(way);
  const [file = ''] = readdirSync(directory);
  const path = join(directory, file);
  writeFileSync(path, readFileSync(path, 'utf8').replace('"code":50', '"code":5x'));
  await startApp(way);
  const next = startReporter(way, 'damaged', { node: 'child', spool: { directory } });
  await next.flush();
  expect(next.stats).toMatchObject({ recovered: 95, corrupt: 1, dropped: 1 });
  expect(await summary(way, 's')).toMatchObject({ at_least: true, lost_batches: 0, dropped_records: 1 });
});

test('the flight recorder sends the whole ring of a session that is refused, and of the one beside it only its frame', async () => {
  const way = await newWay();
  await startApp(way);
  const server = newServer('flight');
  const tidemark = startReporter(way, server, { recording: 'flight', sampleShare: 0 });
  const mcp = await startV1Server({
    openStore: (sessionId) => tidemark.eventStore(new SessionEventLog({ sessionId, maxEvents: 5 }), { sessionId }),
    wrap: (handler) => guardResume(handler, { tidemark }),
  });
  closers.push(() => mcp.close());
  const connect = async (name: string) => {
    const client = await connectClient(mcp.url, { sdk: 'v1', name, version: '1' });
    closers.push(() => client.close());
    return client;
  };
  const [bystander, refused] = [await connect('bystander'), await connect('refused')];
  await bystander.call('work', { steps: 2, drop_at: 99 });
  await tidemark.flush();
  expect(await storedTypes(server)).toEqual(['boot', 'session']);
  await refused.call('work', { steps: 9, drop_at: 99 });
  const answer = await fetch(mcp.url, {
    headers: {
      accept: 'text/event-stream',
      'mcp-session-id': refused.sessionId ?? '',
      'last-event-id': refused.cursors[0] ?? '',
      'mcp-protocol-version': '2025-11-25',
    },
  });
  expect(answer.status).toBe(409);
  await tidemark.flush();
  expect(await storedTypes(server)).toEqual(['boot', 'close', 'deliver', 'emit', 'evict', 'open', 'request', 'session']);
  const attempts = await call(`${way.url}/api/v1/attempts?server=${server}`);
  expect(attempts.body).toMatchObject({ items: [{ verdict: 'refused', reason: 'below_floor', assessment: 'correct' }] });
  const emits = await storedEmits(server);
  expect(new Set(emits.map(({ session }) => session)).size).toBe(1);
  // Every event that the session ever stored, once: of each stream the positions from 1 to its last.
  for (const stream of new Set(emits.map((emit) => emit.stream))) {
    const positions = emits.filter((emit) => emit.stream === stream).map(({ position }) => position);
    expect(positions.sort((a, b) => a - b)).toEqual(upTo(positions.length).map((n) => n + 1));
  }
  expect(emits.length).toBeGreaterThan(9);
  // Of both sessions only what the bystander keeps is untold, and nothing is lost.
  expect(tidemark.stats).toMatchObject({ queued: 0, dropped: 0, rejected: 0 });
});
