import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { connectDatabase } from '@/db/connect';
import { call, postJson } from './api-client';
import { attemptRecord } from './attempt-record';
import { startTestDatabase, type TestDatabase } from './database';
import { startEdge } from './edge';
import { waitFor } from './wait-for';

/** Stops every process of the server where it stands, as a machine does that hangs; the answer lets them go on. */
async function freeze({ postgres }: TestDatabase): Promise<() => void> {
  const sql = connectDatabase(postgres.connection, 1, 'test');
  const postmaster = postgres.pid();
  if (postmaster === null) throw new Error('the server does not run');
  await sql`select 1`;
  // First, so that it makes no process that is not known.
  process.kill(postmaster, 'SIGSTOP');
  const rows = await sql<{ pid: number }[]>`select pid from pg_stat_activity`;
  const pids = [...rows.map(({ pid }) => pid), postmaster];
  for (const pid of pids) process.kill(pid, 'SIGSTOP');
  return () => {
    for (const pid of pids) process.kill(pid, 'SIGCONT');
    void sql.end({ timeout: 1 });
  };
}

describe('a database that does not answer, and does not say so', () => {
  test('keeps no sender waiting for ever: 503 with retry-after, and what is sent again is stored once', async () => {
    const server = `silent-${randomUUID()}`;
    const database = await startTestDatabase();
    const edge = await startEdge(database.postgres.connection);
    const telemetry = `${edge.base}/api/v1/telemetry`;
    expect(await postJson(telemetry, attemptRecord({ server }))).toMatchObject({ status: 202 });
    const goOn = await freeze(database);

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
    const summary = await call(`${edge.base}/api/v1/summary?from=0`);
    expect(summary.body).toMatchObject({ totals: { attempts: 13 } });
    await sql.end({ timeout: 1 });
    await edge.stop();
    await database.stop();
  });
});
