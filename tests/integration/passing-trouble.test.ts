import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { connectDatabase } from '@/db/connect';
import { call, postJson, type Reply } from './api-client';
import { attemptRecord } from './attempt-record';
import { type Edge, startEdge } from './edge';
import { edgeOfFile } from './edge-of-file';
import { openSocket } from './socket-client';
import { waitFor } from './wait-for';

const edge = edgeOfFile();
const telemetry = (base = edge.base) => `${base}/api/v1/telemetry`;

/** Writes a setting of the whole server and has every process of it take it over. */
async function configure(setting: string): Promise<void> {
  await edge.sql.unsafe(`alter system ${setting}`);
  await edge.sql`select pg_reload_conf()`;
}

async function storedIds(server: string): Promise<string[]> {
  const rows = await edge.sql<{ id: string }[]>`
    select a.id from attempt a join server s on s.id = a.server_id where s.name = ${server} order by a.id`;
  return rows.map(({ id }) => id);
}

const attempts = (server: string, count: number) => Array.from({ length: count }, () => attemptRecord({ server }));
const idsOf = (records: readonly { readonly id: string }[]) => records.map(({ id }) => id).sort();

describe('a database that is read-only for a while', () => {
  const EXPORT = {
    resourceLogs: [
      {
        resource: { attributes: [{ key: 'service.name', value: { stringValue: 'read-only' } }] },
        scopeLogs: [{ logRecords: [{ attributes: [{ key: 'tidemark.type', value: { stringValue: 'boot' } }] }] }],
      },
    ],
  };

  function expectRefused(reply: Reply): void {
    expect(reply).toMatchObject({ status: 503 });
    expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(reply.body['error']).toMatchObject({ code: 'database_read_only', next_step: expect.any(String) });
  }

  const setReadOnly = () => configure('set default_transaction_read_only = on');
  const setWritable = () => configure('reset default_transaction_read_only');
  afterEach(setWritable);

  /** Connections take a setting over one after the other: asked until the answer is the one of the new setting. */
  const refused = (ask: () => Promise<Reply>) => waitFor(ask, ({ status }) => status >= 500);
  const taken = (ask: () => Promise<Reply>) => waitFor(ask, ({ status }) => status < 300);

  test('is no fault of what is sent: every door says when to come again, and what was acknowledged is what is stored', async () => {
    const server = `read-only-${randomUUID()}`;
    const batches = Array.from({ length: 6 }, () => attempts(server, 50));
    const acknowledged = new Set<string>();
    const send = async (batch: (typeof batches)[number]) => {
      const reply = await postJson(telemetry(), batch);
      if (reply.status === 202) for (const { id } of batch) acknowledged.add(id);
      return reply;
    };
    for (const batch of batches.slice(0, 3)) expect((await send(batch)).status).toBe(202);
    const socket = await openSocket(edge.base);

    await setReadOnly();
    for (const batch of batches.slice(3)) expectRefused(await refused(() => send(batch)));
    expectRefused(await refused(() => postJson(`${edge.base}/v1/logs`, EXPORT)));
    expectRefused(await refused(() => call(`${edge.base}/readyz`)));
    socket.send({ seq: 1, records: batches[3] });
    expect(await socket.answer()).toMatchObject({ seq: 1, error: { code: 'database_read_only' }, retry_after: 5 });
    expect(await storedIds(server)).toEqual([...acknowledged].sort());
    expect((await call(`${edge.base}/api/v1/attempts?server=${server}`)).status).toBe(200);

    await setWritable();
    for (const batch of batches.slice(3)) await taken(() => send(batch));
    await taken(() => call(`${edge.base}/readyz`));
    await taken(() => postJson(`${edge.base}/v1/logs`, EXPORT));
    socket.send({ seq: 1, records: batches[3] });
    expect(await socket.answer()).toMatchObject({ ack: 1, accepted: 0, duplicate: 50 });
    socket.socket.close();
    expect([...acknowledged].sort()).toEqual(idsOf(batches.flat()));
    expect(await storedIds(server)).toEqual([...acknowledged].sort());
  });

  test('keeps no sum from its readers that was added up before', async () => {
    const server = `summed-${randomUUID()}`;
    const summary = () => call(`${edge.base}/api/v1/summary?server=${server}`);
    expect((await postJson(telemetry(), attempts(server, 7))).status).toBe(202);
    expect(await summary()).toMatchObject({ status: 200, body: { totals: { attempts: 7 } } });
    await setReadOnly();
    await refused(() => call(`${edge.base}/readyz`));
    for (let asked = 0; asked < 10; asked++) expect(await summary()).toMatchObject({ status: 200, body: { totals: { attempts: 7 } } });
  });

  test('refuses with the same answer what is changed in the settings', async () => {
    await setReadOnly();
    const create = () => postJson(`${edge.base}/api/v1/projects`, { name: `project-${randomUUID()}` });
    expectRefused(await refused(create));
    await setWritable();
    await taken(create);
  });
});

describe('two processes that store the same records in opposite order', () => {
  const ROUNDS = 6;
  let other: Edge;
  beforeAll(async () => {
    await configure("set deadlock_timeout = '20ms'");
    other = await startEdge(edge.database.postgres.connection);
  });
  afterAll(async () => {
    await other.stop();
    await configure('reset deadlock_timeout');
  });

  test('store each once and refuse nothing', async () => {
    const server = `crossed-${randomUUID()}`;
    const at = Date.now();
    const own = connectDatabase(edge.database.postgres.connection, 1, 'deadlocks');
    const deadlocks = async () =>
      Number((await own`select deadlocks from pg_stat_database where datname = current_database()`)[0]?.['deadlocks']);
    const before = await deadlocks();
    const sent: { readonly id: string }[] = [];
    const answers: unknown[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const records = Array.from({ length: 4_000 }, () => attemptRecord({ server, at })).sort((a, b) => (a.id < b.id ? -1 : 1));
      sent.push(...records);
      // The first of them is there already: one process stores what is missing, in the order of the ids, against the other one.
      expect((await postJson(telemetry(), records[0])).status).toBe(202);
      const replies = await Promise.all([postJson(telemetry(), records), postJson(telemetry(other.base), records.slice(1).reverse())]);
      answers.push(...replies.map(({ status }) => status));
      expect(replies.reduce((sum, { body }) => sum + Number(body['accepted']), 0)).toBe(records.length - 1);
    }
    expect(answers).toEqual(answers.map(() => 202));
    expect(await storedIds(server)).toEqual(idsOf(sent));
    await waitFor(deadlocks, (count) => count > before);
    await own.end({ timeout: 1 });
  });
});
