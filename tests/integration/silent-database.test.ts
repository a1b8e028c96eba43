import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { describe, expect, type TestContext, test } from 'vitest';
import WebSocket from 'ws';
import { connectDatabase } from '@/db/connect';
import { call, postJson } from './api-client';
import { attemptRecord } from './attempt-record';
import { startTestDatabase, type TestDatabase } from './database';
import { startEdge } from './edge';
import { startGuardedEdge, Visitor } from './members';
import { waitFor } from './wait-for';

/** Stops every process of the server where it stands, as a machine does that hangs; the answer lets them go on, and so does the test's end. */
async function freeze({ postgres }: TestDatabase, { onTestFinished }: TestContext): Promise<() => void> {
  const sql = connectDatabase(postgres.connection, 1, 'test');
  const postmaster = postgres.pid();
  if (postmaster === null) throw new Error('the server does not run');
  await sql`select 1`;
  // First, so that it makes no process that is not known.
  process.kill(postmaster, 'SIGSTOP');
  const rows = await sql<{ pid: number }[]>`select pid from pg_stat_activity`;
  const pids = [...rows.map(({ pid }) => pid), postmaster];
  for (const pid of pids) process.kill(pid, 'SIGSTOP');
  const goOn = () => {
    for (const pid of pids.splice(0)) process.kill(pid, 'SIGCONT');
    void sql.end({ timeout: 1 });
  };
  onTestFinished(goOn);
  return goOn;
}

const DATABASE_UNAVAILABLE = { status: 503, body: { error: { code: 'database_unavailable' } } };
/** What the screens ask, of every pool that answers them. */
const READS = [
  '/api/v1/summary?from=0',
  '/api/v1/series?from=0',
  '/api/v1/servers?from=0',
  '/api/v1/attempts',
  '/api/v1/findings',
  '/api/v1/incidents',
  '/api/v1/alerts',
  '/api/v1/keys',
  '/api/v1/changes',
  '/api/v1/settings/retention',
];

async function refusedUpgrade(url: string, { cookie }: Visitor) {
  const socket = new WebSocket(url.replace('http', 'ws'), { headers: { cookie: cookie ?? '', origin: new URL(url).origin } });
  socket.on('error', () => undefined);
  const [, { statusCode, headers }] = await once(socket, 'unexpected-response');
  return { status: statusCode, retryAfter: headers['retry-after'] };
}

describe.concurrent('a database that does not answer, and does not say so', () => {
  test('keeps no sender waiting for ever: 503 with retry-after, and what is sent again is stored once', async (context) => {
    const server = `silent-${randomUUID()}`;
    const database = await startTestDatabase();
    const edge = await startEdge(database.postgres.connection);
    const telemetry = `${edge.base}/api/v1/telemetry`;
    expect(await postJson(telemetry, attemptRecord({ server }))).toMatchObject({ status: 202 });
    const goOn = await freeze(database, context);

    const batches = Array.from({ length: 6 }, (_, i) => [
      attemptRecord({ server }),
      // A name that is not known yet, which takes a statement before the transaction.
      attemptRecord({ server: i % 2 === 0 ? server : `${server}-${i}` }),
    ]);
    const refused = await Promise.all(batches.map((batch) => postJson(telemetry, batch)));
    for (const { status, headers, body } of refused) {
      expect({ status, body }).toMatchObject({ status: 503, body: { error: { code: 'database_unavailable' } } });
      expect(headers.get('retry-after')).toBe('1');
    }
    expect(await call(`${edge.base}/readyz`)).toMatchObject({ status: 503 });

    goOn();
    for (const batch of batches) {
      const { body } = await waitFor(
        () => postJson(telemetry, batch),
        ({ status }) => status === 202,
      );
      expect(Number(body['accepted']) + Number(body['duplicate'])).toBe(2);
    }
    const sql = connectDatabase(database.postgres.connection, 1, 'test');
    const [row] = await sql<{ rows: number; ids: number }[]>`
      select count(*)::int as rows, count(distinct id)::int as ids from attempt`;
    expect(row).toEqual({ rows: 13, ids: 13 });
    const summary = await waitFor(
      () => call(`${edge.base}/api/v1/summary?from=0`),
      ({ status }) => status !== 503,
    );
    expect(summary.body).toMatchObject({ totals: { attempts: 13 } });
    await sql.end({ timeout: 1 });
    await edge.stop();
    await database.stop();
  });

  test('keeps no page waiting for ever: 503 with retry-after, however many ask, and each is answered once it goes on', async (context) => {
    const database = await startTestDatabase();
    const alerts = { config: { channels: [], rules: [], allowPrivateTargets: [] }, baseUrl: 'http://127.0.0.1' };
    const edge = await startEdge(database.postgres.connection, {}, { alerts });
    const readAll = () => Promise.all(READS.map((path) => call(`${edge.base}${path}`)));
    expect((await readAll()).map(({ status }) => status)).toEqual(READS.map(() => 200));
    const goOn = await freeze(database, context);

    // Far more than there are connections, on those that stood and on those that are made anew.
    for (const _round of ['while it falls silent', 'while it is known to be silent']) {
      const refused = (await Promise.all([readAll(), readAll(), readAll(), readAll()])).flat();
      for (const { status, headers, body } of refused) {
        expect({ status, body }).toMatchObject(DATABASE_UNAVAILABLE);
        expect(headers.get('retry-after')).toBe('1');
      }
    }

    goOn();
    await waitFor(readAll, (answers) => answers.every(({ status }) => status === 200));
    await edge.stop();
    await database.stop();
  });

  test('keeps nobody waiting who is signed in, and lets them in again once it goes on', async (context) => {
    const database = await startTestDatabase();
    const edge = await startGuardedEdge(database.postgres.connection);
    const visitor = new Visitor(edge);
    await visitor.join(edge.firstLink(), 'ada@example.com');
    expect(await visitor.send('GET', '/api/v1/attempts')).toMatchObject({ status: 200 });
    const goOn = await freeze(database, context);

    const upgrades = ['/api/v1/live', '/api/v1/telemetry/ws'].map((path) => refusedUpgrade(`${edge.base}${path}`, visitor));
    const refused = await Promise.all(Array.from({ length: 10 }, () => visitor.send('GET', '/api/v1/attempts')));
    for (const { status, headers, body } of refused) {
      expect({ status, body }).toMatchObject(DATABASE_UNAVAILABLE);
      expect(headers.get('retry-after')).toBe('1');
    }
    for (const upgrade of await Promise.all(upgrades)) expect(upgrade).toEqual({ status: 503, retryAfter: '1' });

    goOn();
    await waitFor(
      () => visitor.send('GET', '/api/v1/attempts'),
      ({ status }) => status === 200,
    );
    await edge.stop();
    await database.stop();
  });
});
