import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectDatabase, type Sql } from '@/db/connect';
import { call } from './api-client';
import { startAppProcess } from './app-child';
import { startTestDatabase, type TestDatabase } from './database';
import { startEdge } from './edge';
import { type SteadyOptions, sendFramesSteadily, sendSteadily } from './steady-senders';
import { waitFor } from './wait-for';

const SENDERS = 4;
/** Batches before the fault, and after it, by all senders together. */
const BEFORE = 20;
const AFTER = 10;

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

const storedIds = async (server: string): Promise<string[]> => {
  const rows = await waitFor(
    () => sql<{ id: string }[]>`select a.id from attempt a join server s on s.id = a.server_id where s.name = ${server}`.catch(() => null),
    (answer) => answer !== null,
  );
  return (rows ?? []).map(({ id }) => id).sort();
};

/** Attempts that charts and totals count, in the rollups and as a reader is told. */
async function countedOf(base: string, server: string): Promise<{ readonly rollups: number; readonly told: unknown }> {
  // Where the database was away a moment ago, a reader may be told so, and asks again.
  const { body } = await waitFor(
    () => call(`${base}/api/v1/summary?server=${server}`),
    ({ status }) => status !== 503,
  );
  const [row] = await sql<{ attempts: number }[]>`
    select sum(attempts)::int as attempts from server_hour r join server s on s.id = r.server_id where s.name = ${server}`;
  return { rollups: row?.attempts ?? 0, told: (body['totals'] as { attempts: unknown } | undefined)?.attempts };
}

/** Runs senders through a fault: `breakIt` is called amid their batches; they go on until more were acknowledged after it. */
async function sendThrough(
  send: (options: SteadyOptions) => Promise<string[]>,
  server: string,
  base: () => string,
  breakIt: () => void,
): Promise<string[]> {
  let before = 0;
  let after = 0;
  const onAcknowledged = (): void => {
    if (before >= BEFORE) after++;
    else if (++before === BEFORE) breakIt();
  };
  const options = { base, server, isOver: () => after >= AFTER, onAcknowledged };
  return (await Promise.all(Array.from({ length: SENDERS }, () => send(options)))).flat();
}

const killPostgres = (signal: 'SIGKILL' | 'SIGINT') => (): void => {
  const pid = database.postgres.pid();
  if (pid !== null) process.kill(pid, signal);
};

describe.each([
  ['HTTP', sendSteadily],
  ['WebSocket', sendFramesSteadily],
] as const)('over %s, what is acknowledged, what is stored and what is counted are the same records', (_way, send) => {
  test.each([
    ['the app is', false],
    ['the app and Postgres are', true],
  ])('when %s killed under load; senders go on with the next process', async (_who, isPostgresToo) => {
    const server = `killed-${randomUUID()}`;
    const { child, base } = await startAppProcess(database.postgres.connection);
    let present = base;
    const next = once(child, 'exit').then(async () => {
      const edge = await waitFor(
        () => startEdge(database.postgres.connection).catch(() => null),
        (started) => started !== null,
      );
      present = edge?.base ?? '';
      return edge;
    });
    const acknowledged = await sendThrough(
      send,
      server,
      () => present,
      () => {
        if (isPostgresToo) killPostgres('SIGKILL')();
        child.kill('SIGKILL');
      },
    );
    expect(acknowledged.length).toBeGreaterThanOrEqual((BEFORE + AFTER) * 200);
    expect(await storedIds(server)).toEqual(acknowledged.sort());
    const edge = await next;
    expect(await countedOf(present, server)).toEqual({ rollups: acknowledged.length, told: acknowledged.length });
    await edge?.stop();
  });

  test.each([
    ['killed', 'SIGKILL'],
    ['restarted', 'SIGINT'],
  ] as const)('when Postgres is %s under load; the app goes on without a restart', async (how, signal) => {
    const server = `${how}-${randomUUID()}`;
    const edge = await startEdge(database.postgres.connection);
    const acknowledged = await sendThrough(send, server, () => edge.base, killPostgres(signal));
    expect(acknowledged.length).toBeGreaterThanOrEqual((BEFORE + AFTER) * 200);
    expect(await storedIds(server)).toEqual(acknowledged.sort());
    expect(await countedOf(edge.base, server)).toEqual({ rollups: acknowledged.length, told: acknowledged.length });
    await edge.stop();
  });
});
