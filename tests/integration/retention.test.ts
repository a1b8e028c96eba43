import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { connectDatabase, type Sql } from '@/db/connect';
import { Transactions } from '@/db/transactions';
import type { Retention } from '@/lib/config/retention';
import { planRetention } from '@/lib/query/retention-plan';
import { applyRetention, type Removed } from '@/lib/store/apply-retention';
import { call, postJson, type Reply } from './api-client';
import { attemptRecord } from './attempt-record';
import { startTestDatabase, type TestDatabase } from './database';
import { type DatabaseClock, settableClock } from './database-clock';
import { type Edge, startEdge } from './edge';

const DAY = 86_400_000;
const START = Date.UTC(2027, 5, 15, 12);
const WAIT = { timeout: 120_000, interval: 50 };
let database: TestDatabase;
let edge: Edge;
let sql: Sql;
let databaseClock: DatabaseClock;
let nowMs = START;

beforeAll(async () => {
  database = await startTestDatabase();
  databaseClock = await settableClock(database.postgres.connection);
  await databaseClock.set(nowMs);
  edge = await startEdge(database.postgres.connection, { now: () => nowMs });
  sql = connectDatabase(database.postgres.connection, 3, 'test');
});

afterAll(async () => {
  await sql?.end({ timeout: 1 });
  await edge?.stop();
  await database?.stop();
});

// No test sees days that another one dropped.
beforeEach(() => setClocks(nowMs + 100 * DAY));

async function setClocks(toMs: number): Promise<void> {
  nowMs = toMs;
  await databaseClock.set(toMs);
}

/** Applies a retention; while the edge itself is at it, nothing else does. */
function removeOld(transactions: Transactions, retention: Retention, countMsMax?: number): Promise<Removed> {
  return vi.waitFor(async () => {
    const removed = await applyRetention(transactions, retention, nowMs, countMsMax);
    expect(removed.hasRun).toBe(true);
    return removed;
  }, WAIT);
}

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
    const latest = 60_000;
    // By the one clock it is over, by the other it is not.
    for (const [own, databases] of [
      [-1, latest],
      [latest, -latest],
    ] as const) {
      await databaseClock.set(midnight + 5 * DAY + databases);
      expect(await applyRetention(transactions, kept, midnight + 5 * DAY + own)).toMatchObject({ hasRun: true });
      expect(await attemptsOf('turning')).toBe(1);
    }
    await databaseClock.set(midnight + 5 * DAY);
    expect((await applyRetention(transactions, kept, midnight + 5 * DAY)).rows).toBeGreaterThanOrEqual(1);
    expect(await attemptsOf('turning')).toBe(0);
    await transactions.close();
  });

  test('is applied by one of many processes: what they removed together is what there was', async () => {
    const records = Array.from({ length: 40 }, (_, i) => attemptRecord({ server: 'shared', at: at(i % 4) }));
    await send(records);
    const pools = Array.from({ length: 4 }, () => new Transactions(database.postgres.connection, 1, 'test'));
    const retention = { recordsDays: 1, rollupsDays: 1000 };
    const removed = await Promise.all(pools.map((pool) => applyRetention(pool, retention, nowMs)));
    // A day that each of them left to another one is left for the next run.
    for (const pool of pools.slice(0, 1)) removed.push(await removeOld(pool, retention));
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
    await removeOld(transactions, { recordsDays: 1, rollupsDays: 10 });
    expect(await totalOf('rolled')).toBe(1);
    expect((await removeOld(transactions, { recordsDays: 1, rollupsDays: 2 })).rollupRows).toBeGreaterThan(0);
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
    await setClocks(nowMs + 50 * DAY);
    await removeOld(transactions, { recordsDays: 1, rollupsDays: 1 });
    expect(await timeline()).toEqual(before);
    await transactions.close();
  });

  test('goes on where one day cannot be removed: the next days, rollups and the small tables are cleaned', async () => {
    await send([at(9), at(8), at(7)].map((atMs) => attemptRecord({ server: 'held', at: atMs })));
    await sql`insert into rejected_record (project_id, id, at) values (0, ${randomUUID()}, ${new Date(at(9))})`;
    const held = `attempt_${new Date(at(9)).toISOString().slice(0, 10).replaceAll('-', '')}`;
    const reader = new Transactions(database.postgres.connection, 1, 'reader');
    const remover = new Transactions(database.postgres.connection, 1, 'test');
    await reader.run(async (tx) => {
      await tx.query(`lock table only ${held} in access share mode`);
      const removed = await removeOld(remover, { recordsDays: 5, rollupsDays: 5 });
      expect(removed).toMatchObject({ kept: [{ name: held, cause: { code: '55P03' } }] });
      expect(removed.rows).toBeGreaterThanOrEqual(2);
      expect(removed.rollupRows).toBeGreaterThan(0);
    });
    expect(await attemptsOf('held')).toBe(1);
    expect(await sql`select from rejected_record`).toHaveLength(0);
    expect(await removeOld(remover, { recordsDays: 5, rollupsDays: 5 })).toMatchObject({ rows: 1, kept: [] });
    expect(await attemptsOf('held')).toBe(0);
    await Promise.all([reader.close(), remover.close()]);
  });

  test('leaves the other days for the next run where a reader holds all of them, and still cleans the rest', async () => {
    await send([9, 8, 7, 6].map((daysAgo) => attemptRecord({ server: 'dumped', at: at(daysAgo) })));
    const reader = new Transactions(database.postgres.connection, 1, 'reader');
    const remover = new Transactions(database.postgres.connection, 1, 'test');
    await reader.run(async (tx) => {
      await tx.query('lock table attempt, record in access share mode');
      const removed = await removeOld(remover, { recordsDays: 5, rollupsDays: 5 });
      expect(removed).toMatchObject({ partitions: 0 });
      expect(removed.kept).toHaveLength(3);
      expect(removed.rollupRows).toBeGreaterThan(0);
    });
    await Promise.all([reader.close(), remover.close()]);
  });

  test('drops a day that takes too long to count, and plans one, by what the planner estimates', async () => {
    await send([{ type: 'boot', server: 'large', at: at(8) }]);
    await sql`
      insert into record (at, id, received_at, arrival, server_id, type, body)
      select ${new Date(at(8))}, gen_random_uuid(), ${new Date(at(8))}, 1, 1, 1, '' from generate_series(1, 200000)`;
    const transactions = new Transactions(database.postgres.connection, 1, 'test');
    const kept = { recordsDays: 5, rollupsDays: 1000 };
    const plan = await transactions.run((tx) => planRetention(tx, kept, nowMs, 0));
    expect(plan).toMatchObject({ isEstimate: true });
    expect(plan.records).toBeGreaterThan(50_000);
    expect(await removeOld(transactions, kept, 1)).toMatchObject({ kept: [] });
    const name = `record_${new Date(at(8)).toISOString().slice(0, 10).replaceAll('-', '')}`;
    const [logged] = await sql<{ before: string }[]>`select before from change_log where subject = ${name}`;
    const { rows, is_estimate } = JSON.parse(logged?.before ?? '') as { rows: number; is_estimate: boolean };
    expect({ isEstimate: is_estimate, isLarge: rows > 50_000 }).toEqual({ isEstimate: true, isLarge: true });
    await transactions.close();
  });

  test('keeps a numbering for as long as it keeps what is missing of it', async () => {
    const number = (epoch: string, sequence: number, daysAgo: number) =>
      call(`${edge.base}/api/v1/telemetry`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'tidemark-producer': 'numbered',
          'tidemark-epoch': epoch,
          'tidemark-sequence': String(sequence),
        },
        body: JSON.stringify([attemptRecord({ server: 'numbered', at: at(daysAgo) })]),
      });
    // What is missing of the second epoch lies between its record and that of the first, which is newer.
    await number('first', 1, 2);
    await number('second', 3, 9);
    expect(await totalOf('numbered')).toBe(2);
    const rows = async () => [
      (await sql`select epoch from producer_epoch where producer = 'numbered' order by 1`).map(({ epoch }) => epoch),
      (await sql`select epoch, first, last from telemetry_loss where producer = 'numbered'`).map(({ epoch }) => epoch),
    ];
    const transactions = new Transactions(database.postgres.connection, 1, 'test');
    await removeOld(transactions, { recordsDays: 5, rollupsDays: 5 });
    expect(await rows()).toEqual([['first', 'second'], ['second']]);
    await setClocks(nowMs + 4 * DAY);
    const kept = { recordsDays: 5, rollupsDays: 5 };
    const { rollupRows } = await transactions.run((tx) => planRetention(tx, kept, nowMs));
    expect(rollupRows).toBe((await removeOld(transactions, kept)).rollupRows);
    expect(await rows()).toEqual([[], []]);
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
  test.each([
    { name: 'ahead', aheadMs: 900 * DAY },
    { name: 'behind', aheadMs: -900 * DAY },
    { name: 'a little too far ahead', aheadMs: 310_000 },
  ])('that are $name of the database remove nothing, note nothing, and say so', async ({ aheadMs }) => {
    const server = `wrong-${aheadMs}`;
    await send([attemptRecord({ server, at: at(20) })]);
    const dropped = () => sql`select value from installation where key = 'records_dropped_through'`;
    const before = await dropped();
    const transactions = new Transactions(database.postgres.connection, 1, 'test');
    const removed = await applyRetention(transactions, { recordsDays: 5, rollupsDays: 5 }, nowMs + aheadMs);
    expect(removed).toMatchObject({ areClocksApart: true, hasRun: false, partitions: 0, rollupRows: 0 });
    expect(Math.abs(removed.clockAheadMs - aheadMs)).toBeLessThan(120_000);
    expect(await attemptsOf(server)).toBe(1);
    expect(await totalOf(server)).toBe(1);
    expect(await dropped()).toEqual(before);

    const logged: unknown[] = [];
    const wrong = await startEdge(database.postgres.connection, {
      now: () => nowMs + aheadMs,
      log: (_level, _message, fields = {}) => logged.push(fields['code']),
    });
    await vi.waitFor(() => expect(logged).toContain('retention_clocks_differ'), WAIT);
    await wrong.stop();
    expect((await send([attemptRecord({ server, at: at(0) }), attemptRecord({ server, at: at(20) })])).body).toMatchObject({ accepted: 2 });
    await transactions.close();
  });

  test('that run ahead refuse no record whose day is kept', async () => {
    const logged: unknown[] = [];
    const ahead = await startEdge(
      database.postgres.connection,
      { now: () => nowMs + 10 * DAY, log: (_level, _message, fields = {}) => logged.push(fields['code']) },
      { retention: { recordsDays: 5, rollupsDays: 70 } },
    );
    await vi.waitFor(() => expect(logged).toContain('retention_clocks_differ'), WAIT);
    const today = attemptRecord({ server: 'ahead', at: at(0) });
    expect((await postJson(`${ahead.base}/api/v1/telemetry`, [today])).body).toMatchObject({ accepted: 1, rejected: [] });
    await ahead.stop();
  });

  test('that ran ahead once do not shut the intake for good', async () => {
    await sql`
      insert into installation (key, value) values ('records_dropped_through', '2999-01-01')
      on conflict (key) do update set value = excluded.value`;
    const next = await startEdge(database.postgres.connection, { now: () => nowMs });
    const today = attemptRecord({ server: 'open', at: at(0) });
    expect((await postJson(`${next.base}/api/v1/telemetry`, [today])).body).toMatchObject({ accepted: 1, rejected: [] });
    await vi.waitFor(async () => {
      const [row] = await sql<{ value: string }[]>`select value from installation where key = 'records_dropped_through'`;
      expect(row?.value).toBe(new Date(at(2)).toISOString().slice(0, 10));
    }, WAIT);
    await next.stop();
  });

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
  await setClocks(nowMs + 3 * DAY);
  // The change makes the keeper run now; otherwise it does so every ten minutes.
  await put({ records_days: 400, rollups_days: 1830, confirm: true });
  const tomorrow = new Date(nowMs + DAY).toISOString().slice(0, 10).replaceAll('-', '');
  await vi.waitFor(async () => expect(await days()).toContain(tomorrow), WAIT);
});
