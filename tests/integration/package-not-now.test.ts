import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { connectDatabase, type Sql } from '@/db/connect';
import { Transactions } from '@/db/transactions';
import { createTidemark, SessionEventLog, type TelemetryProblem, type TidemarkOptions } from '@/packages/mcp/src/index';
import { call, postJson, type Reply } from './api-client';
import { startPostgresIn, startTestDatabase, type TestDatabase } from './database';
import { type Edge, startEdge } from './edge';
import { waitFor } from './wait-for';

const TRANSPORTS = ['http', 'websocket'] as const;
const BATCH = 500;
/** What a full intake, and one without its database, answer as `Retry-After`. */
const RETRY_AFTER_MS = 1000;
/** Timers count whole milliseconds of another clock. */
const CLOCK_MS = 5;

let database: TestDatabase;
let edge: Edge;
let sql: Sql;
const closers: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  database = await startTestDatabase();
  edge = await startEdge(database.postgres.connection);
  sql = connectDatabase(database.postgres.connection, 2, 'test');
});

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

afterAll(async () => {
  await sql?.end({ timeout: 1 });
  await edge?.stop();
  await database?.stop();
});

function startReporter(base: string, server: string, options: Partial<TidemarkOptions> = {}) {
  const problems: TelemetryProblem[] = [];
  const tidemark = createTidemark({
    url: base,
    server,
    node: server,
    flushIntervalMs: 5,
    retryBaseMs: 1,
    retryMaxMs: 5,
    maxBatchRecords: BATCH,
    onProblem: (problem) => problems.push(problem),
    ...options,
  });
  closers.push(() => tidemark.close(100));
  return { tidemark, problems, tell: (code: number) => tidemark.record({ type: 'client', session: 's', event: 'applied', code }) };
}

interface Answered {
  readonly status: number;
  readonly cameAt: number;
}

/** What the batches of one producer were answered over HTTP. */
function watchBatches(edge: Edge, producer: string): readonly Answered[] {
  const answered: Answered[] = [];
  edge.server.on('request', (request, response) => {
    if (request.headers['tidemark-producer'] !== producer) return;
    const cameAt = performance.now();
    response.once('finish', () => {
      answered.push({ status: response.statusCode, cameAt });
    });
  });
  return answered;
}

/** After every refusal the time that it asked for was waited: the next try came no sooner after the one that was refused. */
function expectHeeded(answered: readonly Answered[], status: number): void {
  const refusals = answered.filter((answer) => answer.status !== 202);
  expect(new Set(refusals.map((answer) => answer.status))).toEqual(new Set([status]));
  for (const [n, refusal] of answered.entries()) {
    const next = answered[n + 1];
    if (refusal.status === 202 || next === undefined) continue;
    expect(next.cameAt - refusal.cameAt).toBeGreaterThanOrEqual(RETRY_AFTER_MS - CLOCK_MS);
  }
}

async function storedCodes(from: Sql, server: string): Promise<number[]> {
  const rows = await from<{ body: string }[]>`select r.body from record r join server s on s.id = r.server_id where s.name = ${server}`;
  return rows.flatMap(({ body }) => (JSON.parse(body) as { code?: number }).code ?? []).sort((a, b) => a - b);
}

const upTo = (count: number) => Array.from({ length: count }, (_, n) => n);
const newServer = (what: string) => `${what}-${randomUUID()}`;
const summaryOf = async ({ base }: Edge, server: string) =>
  (
    await waitFor(
      () => call(`${base}/api/v1/summary?from=${Date.now() - 3_600_000}&to=${Date.now() + 60_000}&server=${server}`),
      ({ status }) => status !== 503,
    )
  ).body;

/** Fills a server's share of an intake that stores nothing, until a batch of its package no longer fits. Answers what was taken. */
async function fillShare(edge: Edge, server: string): Promise<readonly Promise<Reply>[]> {
  const taken: Promise<Reply>[] = [];
  for (const size of [20_000, BATCH]) {
    const batch = Array.from({ length: size }, () => ({ type: 'boot', server }));
    for (let isFull = false; !isFull; ) {
      const { depth } = edge.services.intake;
      const reply = postJson(`${edge.base}/api/v1/telemetry`, batch);
      // What is taken is answered when it is stored; only a refusal is answered now.
      reply.then(({ status }) => {
        isFull = status === 429;
      }, console.error);
      await waitFor(
        async () => isFull || edge.services.intake.depth > depth,
        (isSettled) => isSettled,
      );
      if (!isFull) taken.push(reply);
    }
  }
  return taken;
}

test.each(TRANSPORTS)('over %s, an intake that is full is waited for as long as it asks, and nothing is lost', async (transport) => {
  const server = newServer('full');
  const answered = watchBatches(edge, server);
  const locks = new Transactions(database.postgres.connection, 1, 'test');
  closers.push(() => locks.close());
  const { tidemark, problems, tell } = startReporter(edge.base, server, { transport });
  await tidemark.flush();
  const COUNT = 4 * BATCH;
  let taken: readonly Promise<Reply>[] = [];
  await locks.run(async (tx) => {
    await tx.query('lock table record in access exclusive mode');
    taken = await fillShare(edge, server);
    for (const code of upTo(COUNT)) tell(code);
    await waitFor(
      async () => problems.length,
      (count) => count > 0,
    );
    await tx.query('commit');
  });
  for (const reply of taken) expect(await reply).toMatchObject({ status: 202 });
  await tidemark.flush();
  expect(problems).toMatchObject([{ code: 'intake_away', message: expect.stringMatching(/429|intake_full/) }]);
  expect(tidemark.stats).toMatchObject({ queued: 0, sent: COUNT + 1, dropped: 0, rejected: 0 });
  expect(await storedCodes(sql, server)).toEqual(upTo(COUNT));
  expect(await summaryOf(edge, server)).toMatchObject({ at_least: false, lost_batches: 0, dropped_records: 0 });
  if (transport === 'http') expectHeeded(answered, 429);
});

test.each(TRANSPORTS)(
  'over %s, an intake without its database is waited for; what does not fit meanwhile is counted',
  async (transport) => {
    const server = newServer('no-database');
    const own = await startTestDatabase();
    closers.push(() => own.stop());
    const ownEdge = await startEdge(own.postgres.connection);
    closers.push(() => ownEdge.stop());
    const answered = watchBatches(ownEdge, server);
    const BOUND = 300;
    const { tidemark, problems, tell } = startReporter(ownEdge.base, server, { transport, maxQueuedRecords: BOUND, maxBatchRecords: 50 });
    await tidemark.flush();
    await own.postgres.stop();
    const COUNT = 1000;
    for (const code of upTo(COUNT)) tell(code);
    await waitFor(
      async () => problems.map(({ code }) => code),
      (codes) => codes.includes('intake_away'),
    );
    const { dropped, queued } = tidemark.stats;
    expect([dropped > 0, dropped + queued]).toEqual([true, COUNT]);
    const back = await startPostgresIn(own.dataDir);
    closers.push(() => back.stop());
    await tidemark.flush();
    tell(COUNT);
    await tidemark.flush();
    const again = connectDatabase(back.connection, 1, 'test');
    closers.push(() => again.end({ timeout: 1 }));
    // The oldest were kept: by the policy that is the default, what comes gives way.
    expect(await storedCodes(again, server)).toEqual([...upTo(COUNT - dropped), COUNT]);
    expect(tidemark.stats).toMatchObject({ queued: 0, sent: COUNT - dropped + 2, dropped });
    expect(await summaryOf(ownEdge, server)).toMatchObject({ at_least: true, lost_batches: 0, dropped_records: dropped });
    if (transport === 'http') expectHeeded(answered, 503);
  },
);

async function storedEventIds(server: string): Promise<string[]> {
  const rows = await sql<{ body: string }[]>`select r.body from record r join server s on s.id = r.server_id where s.name = ${server}`;
  return rows.flatMap(({ body }) => (JSON.parse(body) as { event_id?: string }).event_id ?? []).sort();
}

test('of a sampled share every event is stored, of the other sessions none, and every replica samples the same', async () => {
  const SESSIONS = 60;
  const EVENTS = 3;
  const sessions = upTo(SESSIONS).map((n) => `session ${n}`);
  const stored: string[][] = [];
  for (const replica of ['one', 'two']) {
    const server = newServer(replica);
    const { tidemark } = startReporter(edge.base, server, { sampleShare: 0.5, hashKey: 'shared by the replicas' });
    for (const sessionId of sessions) {
      const store = tidemark.eventStore(new SessionEventLog({ sessionId, generation: 1 }), { sessionId });
      for (const n of upTo(EVENTS)) await store.storeEvent('a', { n });
    }
    await tidemark.flush();
    expect(tidemark.stats).toMatchObject({ queued: 0, dropped: 0, rejected: 0 });
    stored.push(await storedEventIds(server));
  }
  const [one = [], two] = stored;
  expect(one).toEqual(two);
  expect(new Set(one).size).toBe(one.length);
  // Of a session all events or none.
  const bySession = new Map<string, number>();
  for (const eventId of one) bySession.set(eventId.slice(0, 12), (bySession.get(eventId.slice(0, 12)) ?? 0) + 1);
  expect(new Set(bySession.values())).toEqual(new Set([EVENTS]));
  expect(bySession.size).toBeGreaterThan(SESSIONS / 6);
  expect(bySession.size).toBeLessThan((SESSIONS * 5) / 6);
});
