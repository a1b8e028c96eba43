import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { connectDatabase, type Sql } from '@/db/connect';
import { Transactions } from '@/db/transactions';
import { applyRetention } from '@/lib/store/retention';
import { call, postJson, type Reply } from './api-client';
import { attemptRecord } from './attempt-record';
import { startTestDatabase, type TestDatabase } from './database';
import { type Edge, startEdge } from './edge';

const DAY = 86_400_000;
const START = Date.UTC(2027, 5, 15, 12);
const WAIT = { timeout: 120_000, interval: 50 };
let database: TestDatabase;
let edge: Edge;
let sql: Sql;
let nowMs = START;

beforeAll(async () => {
  database = await startTestDatabase();
  edge = await startEdge(database.postgres.connection, { now: () => nowMs });
  sql = connectDatabase(database.postgres.connection, 3, 'test');
});

afterAll(async () => {
  await sql?.end({ timeout: 1 });
  await edge?.stop();
  await database?.stop();
});

// No test sees days that another one dropped.
beforeEach(() => {
  nowMs += 100 * DAY;
});

const at = (daysAgo: number): number => nowMs - daysAgo * DAY;
const send = (records: unknown[]): Promise<Reply> => postJson(`${edge.base}/api/v1/telemetry`, records);
const get = async (path: string): Promise<Record<string, unknown>> => (await call(`${edge.base}/api/v1/${path}`)).body;
const put = (body: unknown): Promise<Reply> =>
  call(`${edge.base}/api/v1/settings/retention`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
const attemptsOf = async (server: string): Promise<number> =>
  ((await get(`attempts?server=${server}&from=0&to=${nowMs + DAY}`))['items'] as unknown[]).length;
const totalOf = async (server: string): Promise<unknown> =>
  ((await get(`summary?server=${server}&from=${nowMs - 800 * DAY}&to=${nowMs + DAY}`))['totals'] as Record<string, unknown>)['attempts'];

describe('retention', () => {
  test('keeps 400 days of records and 1,830 of rollups unless told otherwise', async () => {
    expect(await get('settings/retention')).toMatchObject({ records_days: 400, rollups_days: 1830, origin: 'default' });
  });

  test('says what a change would remove, and removes it only when that is confirmed', async () => {
    const old = attemptRecord({ server: 'aged', at: at(10) });
    await send([
      old,
      attemptRecord({ server: 'aged', at: at(3) }),
      attemptRecord({ server: 'aged', at: at(0) }),
      { type: 'boot', server: 'aged', at: at(10) },
    ]);
    const plan = { attempts: 1, records: 1, rollup_rows: 0, days: [new Date(at(10)).toISOString().slice(0, 10)] };
    expect(await get('settings/retention/plan?records_days=5&rollups_days=1000')).toMatchObject(plan);
    expect(await put({ records_days: 5, rollups_days: 1000 })).toMatchObject({
      status: 409,
      body: { error: { code: 'confirmation_needed', message: expect.stringContaining('1 attempts, 1 other records') } },
    });
    expect(await attemptsOf('aged')).toBe(3);

    expect(await put({ records_days: 5, rollups_days: 1000, confirm: true })).toMatchObject({ status: 200, body: plan });
    await vi.waitFor(async () => expect(await attemptsOf('aged')).toBe(2), WAIT);
    expect(await get('settings/retention')).toMatchObject({ records_days: 5, rollups_days: 1000, origin: 'api' });
    expect(await totalOf('aged')).toBe(3);
    const log = await get('changes?action=retention');
    expect(log['items']).toMatchObject([
      { actor: 'system', action: 'retention.dropped', from: { rows: 1 } },
      { actor: 'system', action: 'retention.dropped', from: { rows: 1 } },
      { actor: 'local', action: 'retention.changed', from: { records_days: 400 }, to: { records_days: 5, rollups_days: 1000 } },
    ]);

    // Sent again after its day was dropped: it must not be counted a second time.
    expect((await send([old, attemptRecord({ server: 'aged', at: at(1) })])).body).toMatchObject({
      accepted: 1,
      rejected: [{ index: 0, path: 'at' }],
    });
    expect(await totalOf('aged')).toBe(4);
  });

  test('drops a day on the first instant of the day that it is too old, and no sooner', async () => {
    await send([attemptRecord({ server: 'turning', at: at(0) })]);
    const transactions = new Transactions(database.postgres.connection, 1, 'test');
    const kept = { recordsDays: 5, rollupsDays: 1000 };
    const midnight = Math.ceil(nowMs / DAY) * DAY;
    expect(await applyRetention(transactions, kept, midnight + 5 * DAY - 1)).toMatchObject({ hasRun: true });
    expect(await attemptsOf('turning')).toBe(1);
    expect((await applyRetention(transactions, kept, midnight + 5 * DAY)).rows).toBeGreaterThanOrEqual(1);
    expect(await attemptsOf('turning')).toBe(0);
    await transactions.close();
  });

  test('is applied by one of many processes: what they removed together is what there was', async () => {
    const records = Array.from({ length: 40 }, (_, i) => attemptRecord({ server: 'shared', at: at(i % 4) }));
    await send(records);
    const pools = Array.from({ length: 4 }, () => new Transactions(database.postgres.connection, 1, 'test'));
    const removed = await Promise.all(pools.map((pool) => applyRetention(pool, { recordsDays: 1, rollupsDays: 1000 }, nowMs)));
    const [left] = await sql<{ rows: number }[]>`
      select count(*)::int as rows from attempt a join server s on s.id = a.server_id where s.name = 'shared'`;
    expect(left?.rows).toBe(20);
    const [logged] = await sql<{ rows: number }[]>`
      select sum((before::json ->> 'rows')::int)::int as rows from change_log where action = 'retention.dropped'`;
    expect(removed.reduce((sum, { rows }) => sum + rows, 0)).toBeGreaterThanOrEqual(20);
    expect(logged?.rows).toBeGreaterThanOrEqual(20);
    await Promise.all(pools.map((pool) => pool.close()));
  });

  test('removes rollups only when they are too old themselves', async () => {
    await send([attemptRecord({ server: 'rolled', at: at(4) })]);
    expect(await totalOf('rolled')).toBe(1);
    const transactions = new Transactions(database.postgres.connection, 1, 'test');
    await applyRetention(transactions, { recordsDays: 1, rollupsDays: 10 }, nowMs);
    expect(await totalOf('rolled')).toBe(1);
    expect((await applyRetention(transactions, { recordsDays: 1, rollupsDays: 2 }, nowMs)).rollupRows).toBeGreaterThan(0);
    expect(await totalOf('rolled')).toBe(0);
    await transactions.close();
  });

  test('a day that another process dropped is not made again: what is sent again stays counted once, and others are stored', async () => {
    const kinds = (daysAgo: number) => [attemptRecord({ server: 'kept', at: at(daysAgo) }), attemptRecord({ server: 'kept', at: at(0) })];
    await put({ records_days: 400, rollups_days: 1830 });
    const sent = kinds(20);
    await send(sent);
    expect(await totalOf('kept')).toBe(2);
    const other = new Transactions(database.postgres.connection, 1, 'test');
    await vi.waitFor(async () => {
      // Does nothing while the edge itself is at it.
      await applyRetention(other, { recordsDays: 10, rollupsDays: 1000 }, nowMs);
      expect(await attemptsOf('kept')).toBe(1);
    }, WAIT);
    // This edge was told of nothing: it keeps days for longer.
    expect((await get('settings/retention'))['records_days']).toBe(400);
    const refused = { index: 0, path: 'at', message: 'lies before the oldest day that is kept' };
    expect((await send(sent)).body).toMatchObject({ accepted: 0, duplicate: 1, rejected: [refused] });
    expect((await send(kinds(30))).body).toMatchObject({ accepted: 1, rejected: [refused] });
    expect((await send(kinds(9))).body).toMatchObject({ accepted: 2, rejected: [] });
    expect(await totalOf('kept')).toBe(5);
    // Nor by a process that never saw the day.
    const late = await startEdge(
      database.postgres.connection,
      { now: () => nowMs },
      { retention: { recordsDays: 400, rollupsDays: 1830 } },
    );
    expect((await postJson(`${late.base}/api/v1/telemetry`, sent)).body).toMatchObject({ accepted: 0, rejected: [refused] });
    await late.stop();
    expect(await totalOf('kept')).toBe(5);
    await other.close();
  });

  test('does not take the evidence of an incident', async () => {
    const imported = await postJson(`${edge.base}/api/v1/incidents/import`, {
      title: 'kept',
      records: [{ type: 'boot', generation: 1, at: at(2) }, attemptRecord({ server: 'evidence', session: randomUUID(), at: at(2) })],
    });
    expect(imported.status).toBe(201);
    const timeline = () => get(`incidents/${String(imported.body['id'])}/timeline`);
    const before = await timeline();
    expect((before['steps'] as unknown[]).length).toBe(2);
    const transactions = new Transactions(database.postgres.connection, 1, 'test');
    await applyRetention(transactions, { recordsDays: 1, rollupsDays: 1 }, nowMs + 50 * DAY);
    expect(await timeline()).toEqual(before);
    await transactions.close();
  });

  test.each([
    { body: { records_days: 0, rollups_days: 5 }, path: 'records_days' },
    { body: { records_days: 6, rollups_days: 5 }, path: 'rollups_days' },
    { body: { records_days: 6 }, path: 'rollups_days' },
  ])('is not changed to $body', async ({ body, path }) => {
    expect(await put(body)).toMatchObject({ status: 400, body: { error: { code: 'invalid_field', path } } });
  });

  test('of the configuration file is not changed over the API', async () => {
    const provisioned = await startEdge(
      database.postgres.connection,
      { now: () => nowMs },
      { retention: { recordsDays: 7, rollupsDays: 70 } },
    );
    const url = `${provisioned.base}/api/v1/settings/retention`;
    expect((await call(url)).body).toMatchObject({ records_days: 7, rollups_days: 70, origin: 'config' });
    const init = {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ records_days: 8, rollups_days: 80 }),
    };
    expect(await call(url, init)).toMatchObject({ status: 409, body: { error: { code: 'provisioned' } } });
    await provisioned.stop();
  });
});

describe('clocks', () => {
  test('that run ahead are noted beside the record, and what is only late is not', async () => {
    await send([attemptRecord({ server: 'skewed', at: nowMs + 600_000 }), attemptRecord({ server: 'late', at: at(1) })]);
    const [ahead] = (await get(`attempts?server=skewed&from=0&to=${nowMs + DAY}`))['items'] as Record<string, unknown>[];
    expect(ahead).toMatchObject({
      at: new Date(nowMs + 600_000).toISOString(),
      received_at: new Date(nowMs).toISOString(),
      clock_skew_ms: 600_000,
    });
    const [late] = (await get(`attempts?server=late&from=0&to=${nowMs + DAY}`))['items'] as Record<string, unknown>[];
    expect(late).not.toHaveProperty('clock_skew_ms');
  });
});

test('days ahead have their partitions before they come', async () => {
  const days = async (): Promise<string[]> => {
    const rows = await sql<{ name: string }[]>`
      select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'attempt'::regclass`;
    return rows.map(({ name }) => name.slice('attempt_'.length));
  };
  nowMs += 3 * DAY;
  // The change makes the keeper run now; otherwise it does so every ten minutes.
  await put({ records_days: 400, rollups_days: 1830 });
  const tomorrow = new Date(nowMs + DAY).toISOString().slice(0, 10).replaceAll('-', '');
  await vi.waitFor(async () => expect(await days()).toContain(tomorrow), WAIT);
});
