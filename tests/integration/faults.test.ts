import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectDatabase, type DatabaseAddress, type Sql } from '@/db/connect';
import { Transactions } from '@/db/transactions';
import { freePort } from '@/demo/children/free-port';
import { BATCH_BYTES_MAX } from '@/server/api/telemetry-route';
import { call, postJson, postLines, type Reply } from './api-client';
import { startAppProcess } from './app-child';
import { attemptRecord } from './attempt-record';
import { startPostgresIn, startTestDatabase, type TestDatabase } from './database';
import { startEdge } from './edge';
import { waitFor } from './wait-for';

/** A few parts of a body; whole, with its records as they are stored, it would be several times as much. */
const HELD_BYTES_MAX = 150e6;
/** Rounds in which a busy machine has to be quiet once. */
const ROUNDS_MAX = 10;

let database: TestDatabase;
let sql: Sql;

beforeAll(async () => {
  database = await startTestDatabase();
  sql = connectDatabase(database.postgres.connection, 2, 'test');
});

afterAll(async () => {
  await sql?.end({ timeout: 1 });
  await database?.stop();
});

describe('while Postgres is stopped', () => {
  test('readyz says so, intake asks to come again, nothing crashes, and all is well when it is back', async () => {
    const server = `stopped-${randomUUID()}`;
    const own = await startTestDatabase();
    const edge = await startEdge(own.postgres.connection);
    const record = attemptRecord({ server });
    await postJson(`${edge.base}/api/v1/telemetry`, record);
    await own.postgres.stop();

    for (const path of ['/readyz', '/api/v1/attempts', '/api/v1/summary']) {
      expect(await call(`${edge.base}${path}`)).toMatchObject({ status: 503, body: { error: { code: 'database_unavailable' } } });
    }
    const refused = await postJson(`${edge.base}/api/v1/telemetry`, attemptRecord({ server }));
    expect(refused).toMatchObject({ status: 503, body: { error: { code: 'database_unavailable' } } });
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(await call(`${edge.base}/healthz`)).toMatchObject({ status: 200 });

    const back = await startPostgresIn(own.dataDir);
    await waitFor(
      () => call(`${edge.base}/readyz`),
      ({ status }) => status === 200,
    );
    const both = [record, attemptRecord({ server })];
    const taken = await waitFor(
      () => postJson(`${edge.base}/api/v1/telemetry`, both),
      ({ status }) => status !== 503,
    );
    expect(taken).toMatchObject({
      status: 202,
      body: { accepted: 1, duplicate: 1 },
    });
    await edge.stop();
    await back.stop();
    await own.stop();
  });
});

/** An OTLP export of so many `boot` records. */
const logsOf = (server: string, count: number): object => {
  const attributes = [
    { key: 'tidemark.type', value: { stringValue: 'boot' } },
    { key: 'tidemark.server', value: { stringValue: server } },
  ];
  return { resourceLogs: [{ scopeLogs: [{ logRecords: Array.from({ length: count }, () => ({ attributes })) }] }] };
};

test.each(['/v1/logs', '/v1/traces'])('%s says that it may be full', async (path) => {
  const edge = await startEdge(database.postgres.connection);
  const { body } = await call(`${edge.base}/api/openapi.json`);
  const { paths } = body as { paths: Record<string, { post: { responses: Record<string, { description: string }> } }> };
  expect(paths[path]?.post.responses['429']?.description).toContain('intake_full');
  await edge.stop();
});

describe('when the database does not keep up', () => {
  test('intake refuses with retry-after before memory grows, and what it took is stored', async () => {
    const server = `slow-${randomUUID()}`;
    const edge = await startEdge(database.postgres.connection);
    const locks = new Transactions(database.postgres.connection, 1, 'test');
    // An array is stored whole or not at all; lines of which a part is stored wait for room.
    const batch = Array.from({ length: 60_000 }, () => ({ type: 'boot', server }));
    let replies: Reply[] = [];
    await locks.run(async (tx) => {
      await tx.query('lock table record in access exclusive mode');
      const sent = Array.from({ length: 4 }, () => postJson(`${edge.base}/api/v1/telemetry`, batch));
      const refused = await Promise.race(sent);
      expect(refused).toMatchObject({ status: 429, body: { error: { code: 'intake_full' } } });
      expect(refused.headers.get('retry-after')).toBe('1');
      const exported = await postJson(`${edge.base}/v1/logs`, logsOf(server, 60_000));
      expect(exported).toMatchObject({ status: 429, body: { code: 8, error: { code: 'intake_full' } } });
      expect(exported.headers.get('retry-after')).toBe('1');
      await tx.query('commit');
      replies = await Promise.all(sent);
    });
    expect(replies.map(({ status }) => status).sort()).toEqual([202, 202, 429, 429]);
    const [row] = await sql<
      { rows: number }[]
    >`select count(*)::int as rows from record r join server s on s.id = r.server_id where s.name = ${server}`;
    expect(row?.rows).toBe(2 * batch.length);
    await locks.close();
    await edge.stop();
  });
});

describe('a body near the limit', () => {
  const record = (server: string, index: number): string =>
    JSON.stringify({ type: 'boot', id: randomUUID(), server, generation: index, note: 'x'.repeat(170) });

  test.each([
    ['as it is', false],
    ['compressed', true],
  ])('is stored whole, what cannot be read of it named, and hardly held: %s', async (_how, gzip) => {
    const server = `large-${randomUUID()}`;
    const { child, base } = await startAppProcess(database.postgres.connection);
    const lines = Array.from({ length: 98_000 }, (_, index) => (index === 97_000 ? '{"type":' : record(server, index)));
    expect(Buffer.byteLength(lines.join('\n'))).toBeGreaterThan(0.9 * BATCH_BYTES_MAX);
    await postLines(`${base}/api/v1/telemetry`, lines.slice(0, 5_000), { gzip });
    const before = await residentBytes(base);
    let peak = before;
    let isAnswered = false;
    const reply = postLines(`${base}/api/v1/telemetry`, lines, { gzip }).finally(() => {
      isAnswered = true;
    });
    while (!isAnswered) peak = Math.max(peak, await residentBytes(base));
    expect(await reply).toMatchObject({
      status: 202,
      body: {
        accepted: 92_999,
        duplicate: 5_000,
        rejected: [{ index: 97_000, path: '', message: expect.stringContaining('is not JSON') }],
      },
    });
    expect(peak - before).toBeLessThan(HELD_BYTES_MAX);
    const [row] = await sql<{ rows: number }[]>`
      select count(*)::int as rows from record r join server s on s.id = r.server_id where s.name = ${server}`;
    expect(row?.rows).toBe(97_999);
    child.kill();
  });
});

async function residentBytes(base: string): Promise<number> {
  const metrics = await (await fetch(`${base}/metrics`)).text();
  return Number(/^process_resident_memory_bytes (\S+)/m.exec(metrics)?.[1]);
}

describe('a database over TCP', () => {
  test('takes COPY about as fast as over a unix socket: small writes do not wait for acknowledgements', async () => {
    const relay = await startRelay(`${database.postgres.connection.host}/.s.PGSQL.${database.postgres.connection.port}`);
    const { user, database: name } = database.postgres.connection;
    const { port } = relay.address() as AddressInfo;
    const url = `postgres://${user}@127.0.0.1:${port}/${name}`;
    const times = { socket: Number.POSITIVE_INFINITY, tcp: Number.POSITIVE_INFINITY };
    // Waiting for delayed acknowledgements costs tenfold and more in every round; the relay and a busy machine do not.
    for (let round = 0; round < ROUNDS_MAX && !(times.tcp / times.socket < 5); round++) {
      times.socket = Math.min(times.socket, await timeBatches(database.postgres.connection));
      times.tcp = Math.min(times.tcp, await timeBatches({ url }));
    }
    relay.close();
    expect(times.tcp / times.socket).toBeLessThan(5);
  });

  test('a refused connection is tried again by the next query', async () => {
    const relay = await startRelay(`${database.postgres.connection.host}/.s.PGSQL.${database.postgres.connection.port}`);
    const { port } = relay.address() as AddressInfo;
    relay.close();
    await once(relay, 'close');
    const { user, database: name } = database.postgres.connection;
    const away = connectDatabase({ url: `postgres://${user}@127.0.0.1:${port}/${name}` }, 1, 'test');
    await expect(away`select 1`).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    await expect(away`select 1`).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    const back = await startRelay(`${database.postgres.connection.host}/.s.PGSQL.${database.postgres.connection.port}`, port);
    expect(await away`select 1 as one`).toMatchObject([{ one: 1 }]);
    await away.end({ timeout: 1 });
    back.close();
  });
});

async function timeBatches(address: DatabaseAddress): Promise<number> {
  const edge = await startEdge(address);
  const batches = Array.from({ length: 21 }, () => Array.from({ length: 100 }, () => attemptRecord({ server: 'timed' })));
  let began = 0;
  for (const [index, batch] of batches.entries()) {
    if (index === 1) began = performance.now();
    expect((await edge.services.intake.submit(batch)).accepted).toBe(100);
  }
  const ms = performance.now() - began;
  await edge.stop();
  return ms;
}

/** Listens on TCP and passes bytes to a unix socket, as a Postgres on another machine would take them. */
async function startRelay(socketPath: string, port?: number): Promise<Server> {
  const relay = createServer({ noDelay: true }, (incoming) => {
    const outgoing = connect(socketPath);
    incoming.pipe(outgoing).pipe(incoming);
    incoming.on('error', () => outgoing.destroy());
    outgoing.on('error', () => incoming.destroy());
  });
  relay.listen(port ?? (await freePort()), '127.0.0.1');
  await once(relay, 'listening');
  return relay;
}
