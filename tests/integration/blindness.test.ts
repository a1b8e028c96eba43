import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import WebSocket from 'ws';
import { connectDatabase, type Sql } from '@/db/connect';
import { Transactions } from '@/db/transactions';
import { ruleOf } from '@/lib/alerting/rule';
import type { ProxyLog } from '@/lib/proxy/call';
import { intakeSink } from '@/lib/proxy/intake-sink';
import { PostgresMeasures } from '@/lib/query/alerting-measures';
import { leaveUntold, takeUntold } from '@/server/untold-losses';
import { call, type Reply } from './api-client';
import { attemptRecord } from './attempt-record';
import { startPostgresIn, startTestDatabase, type TestDatabase } from './database';
import { type Edge, startEdge } from './edge';
import { waitFor } from './wait-for';

const MINUTE = 60_000;
const ignoreLog: ProxyLog = () => undefined;
const START = Date.now() - 60 * MINUTE;
let database: TestDatabase;
let edges: Edge[];
let sql: Sql;

beforeAll(async () => {
  database = await startTestDatabase();
  edges = [await startEdge(database.postgres.connection), await startEdge(database.postgres.connection)];
  sql = connectDatabase(database.postgres.connection, 2, 'test');
});

afterAll(async () => {
  await sql?.end({ timeout: 1 });
  for (const edge of edges ?? []) await edge.stop();
  await database?.stop();
});

const base = (index = 0): string => edges[index]?.base ?? '';

/** A numbered batch of one attempt that lies `sequence` minutes after the start. */
function send(
  producer: string,
  sequence: number,
  options: { dropped?: number; epoch?: string; edge?: number; first?: number; began?: number; records?: unknown[] } = {},
): Promise<Reply> {
  const records = options.records ?? [attemptRecord({ server: producer, at: START + sequence * MINUTE, id: idOf(producer, sequence) })];
  const post = (): Promise<Reply> =>
    call(`${base(options.edge)}/api/v1/telemetry`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'tidemark-producer': producer,
        'tidemark-epoch': options.epoch ?? 'e1',
        'tidemark-sequence': String(sequence),
        'tidemark-dropped': String(options.dropped ?? 0),
        ...(options.first === undefined ? {} : { 'tidemark-first': String(options.first) }),
        ...(options.began === undefined ? {} : { 'tidemark-began': String(options.began) }),
      },
      body: JSON.stringify(records),
    });
  // On a busy machine the database may be away for a moment: a sender sends again.
  return waitFor(post, ({ status }) => status !== 503 && status !== 429);
}

const ids = new Map<string, string>();
function idOf(producer: string, sequence: number): string {
  const key = `${producer}/${sequence}`;
  const id = ids.get(key) ?? randomUUID();
  ids.set(key, id);
  return id;
}

const iso = (minute: number): string => new Date(START + minute * MINUTE).toISOString();
const period = `from=${START - MINUTE}&to=${START + 60 * MINUTE}`;
const answer = async (url: string) =>
  (
    await waitFor(
      () => call(url),
      ({ status }) => status === 200,
    )
  ).body;
const summary = (server: string, edge = 0) => answer(`${base(edge)}/api/v1/summary?${period}&server=${server}`);
const series = (server: string) => answer(`${base()}/api/v1/series?${period}&step=60&server=${server}`);

describe('what is known to be missing', () => {
  test('is nothing while batches follow each other, also when one is sent again', async () => {
    for (const sequence of [1, 2, 2, 3, 1]) expect((await send('whole', sequence)).status).toBe(202);
    expect(await summary('whole')).toMatchObject({
      at_least: false,
      blind: [],
      lost_batches: 0,
      totals: { attempts: 3, events_lost_at_least: false },
    });
  });

  test('is the batches between two that came, from the newest record before to the oldest one after', async () => {
    for (const sequence of [1, 2, 6]) await send('holed', sequence);
    const missing = { at_least: true, lost_batches: 3, dropped_records: 0, blind: [{ from: iso(2), to: iso(6) }] };
    expect(await summary('holed')).toMatchObject({ ...missing, totals: { attempts: 3, events_lost_at_least: true } });
    expect(await series('holed')).toMatchObject(missing);
  });

  test('is less with every late batch, and nothing when all have come, in whichever process they arrive', async () => {
    await send('late', 1);
    await send('late', 5, { edge: 1 });
    await send('late', 3, { edge: 1 });
    expect(await summary('late')).toMatchObject({ at_least: true, lost_batches: 2 });
    await send('late', 4);
    await send('late', 2, { edge: 1 });
    for (const edge of [0, 1])
      expect(await summary('late', edge)).toMatchObject({ at_least: false, lost_batches: 0, blind: [], totals: { attempts: 5 } });
  });

  test('holds the records that the producer says it dropped, each counted once', async () => {
    await send('dropping', 1, { dropped: 0 });
    await send('dropping', 2, { dropped: 7 });
    await send('dropping', 2, { dropped: 7 });
    await send('dropping', 3, { dropped: 7 });
    expect(await summary('dropping')).toMatchObject({
      at_least: true,
      lost_batches: 0,
      dropped_records: 7,
      blind: [{ from: iso(1), to: iso(2) }],
    });
  });

  test('is counted once where a batch comes again after its numbering was forgotten, and folds go on', async () => {
    await send('forgotten', 3, { dropped: 4 });
    const missing = { lost_batches: 2, dropped_records: 4 };
    expect(await summary('forgotten')).toMatchObject(missing);
    await sql`delete from producer_epoch where producer = 'forgotten'`;
    await send('forgotten', 3, { dropped: 4 });
    expect(await summary('forgotten')).toMatchObject(missing);
    expect(await sql`select from set_aside_rollup`).toHaveLength(0);
  });

  test('begins anew with a new epoch, whose lost begin lies after the epoch before', async () => {
    await send('restarted', 1);
    await send('restarted', 2);
    await send('restarted', 1, { epoch: 'e2', records: [attemptRecord({ server: 'restarted', at: START + 10 * MINUTE })] });
    expect(await summary('restarted')).toMatchObject({ at_least: false });
    await send('restarted', 3, { epoch: 'e3', records: [attemptRecord({ server: 'restarted', at: START + 20 * MINUTE })] });
    expect(await summary('restarted')).toMatchObject({ lost_batches: 2, blind: [{ from: iso(10), to: iso(20) }] });
  });

  test('does not hold batches that came without any records', async () => {
    await send('empty', 1);
    expect((await send('empty', 2, { records: [] })).status).toBe(202);
    await send('empty', 3);
    expect(await summary('empty')).toMatchObject({ at_least: false });
  });

  test.each([
    { name: 'its number', options: {} },
    { name: 'a first batch that is numbered 0', options: { first: 0 } },
  ])('holds a lost batch at the very begin, by $name', async ({ options }) => {
    const producer = `begun-${options.first ?? 1}`;
    await send(producer, 2, options);
    expect(await summary(producer)).toMatchObject({ at_least: true, lost_batches: 'first' in options ? 2 : 1 });
    await send(producer, 1, options);
    expect(await summary(producer)).toMatchObject({ at_least: 'first' in options });
    if (options.first === 0) await send(producer, 0, options);
    expect(await summary(producer)).toMatchObject({ at_least: false, lost_batches: 0 });
  });

  describe('of a fleet that was restarted while the intake was away, before the first batches that arrive', () => {
    const during = (server: string, from: number, to: number) => `from=${START + from * MINUTE}&to=${START + to * MINUTE}&server=${server}`;
    const both = (query: string) =>
      Promise.all([answer(`${base()}/api/v1/summary?${query}`), answer(`${base()}/api/v1/series?${query}&step=60`)]);

    /** New pods, of whose batches the first to arrive are of 40 minutes after the start. */
    async function restart(server: string, began: { began?: number }): Promise<void> {
      for (const pod of [0, 1, 2]) {
        const records = [attemptRecord({ server, at: START + (40 + pod) * MINUTE })];
        expect((await send(`${server}-pod-${pod}`, 501, { ...began, records })).status).toBe(202);
      }
    }

    test('is known from when the pods say that they began', async () => {
      await restart('fleet-told', { began: START + 20 * MINUTE });
      for (const period of await both(during('fleet-told', 22, 38)))
        expect(period).toMatchObject({ at_least: true, lost_batches: 1_500, blind: [{ from: iso(22), to: iso(38) }] });
      for (const period of await both(during('fleet-told', 0, 19))) expect(period).toMatchObject({ at_least: false, blind: [] });
    });

    test('is known of the hour before where they do not', async () => {
      await restart('fleet-untold', {});
      for (const period of await both(during('fleet-untold', -15, 38)))
        expect(period).toMatchObject({ at_least: true, lost_batches: 1_500, blind: [{ from: iso(-15), to: iso(38) }] });
      for (const period of await both(during('fleet-untold', -60, -21))) expect(period).toMatchObject({ at_least: false, blind: [] });
    });

    test('is known of the hour before where the clock that says so is not believed', async () => {
      await restart('fleet-of-1970', { began: 0 });
      for (const period of await both(during('fleet-of-1970', -60, -21))) expect(period).toMatchObject({ at_least: false });
      for (const period of await both(during('fleet-of-1970', -15, 38))) expect(period).toMatchObject({ at_least: true });
    });
  });

  test('holds a batch 0 that does not come where the epoch before began with one', async () => {
    for (const sequence of [0, 1]) await send('from-zero', sequence);
    expect(await summary('from-zero')).toMatchObject({ at_least: false });
    const records = [attemptRecord({ server: 'from-zero', at: START + 9 * MINUTE })];
    await send('from-zero', 1, { epoch: 'e2', records });
    expect(await summary('from-zero')).toMatchObject({ lost_batches: 1, blind: [{ from: iso(1), to: iso(9) }] });
    await send('from-zero', 0, { epoch: 'e2', records: [] });
    expect(await summary('from-zero')).toMatchObject({ at_least: false });
    await send('from-zero', 1, { epoch: 'e3', first: 1, records });
    expect(await summary('from-zero')).toMatchObject({ at_least: false });
  });

  describe('holds what the intake rejects', () => {
    const unreadable = (server: string, minute: number, members: object = {}) => ({
      ...attemptRecord({ server, at: START + minute * MINUTE, id: randomUUID() }),
      cursor: -1,
      ...members,
    });
    const rejected = (records: number, from: number, to: number) => ({
      at_least: true,
      lost_batches: 0,
      dropped_records: records,
      rejected_records: records,
      blind: [{ from: iso(from), to: iso(to) }],
    });
    const post = (records: readonly unknown[], mediaType = 'application/json') =>
      waitFor(
        () =>
          call(`${base()}/api/v1/telemetry`, {
            method: 'POST',
            headers: { 'content-type': mediaType },
            body:
              mediaType === 'application/json'
                ? JSON.stringify(records)
                : records.map((record) => (typeof record === 'string' ? record : JSON.stringify(record))).join('\n'),
          }),
        ({ status }) => status === 202,
      );

    test('of a numbered batch: its records are missing, once however often it is sent', async () => {
      const server = 'part-rejected';
      const good = attemptRecord({ server, at: START + 3 * MINUTE, id: randomUUID() });
      const records = [unreadable(server, 2), good, unreadable(server, 4), unreadable(server, 5)];
      for (const edge of [0, 1, 0]) {
        const { body } = await send(server, 1, { records, edge });
        expect(body['rejected']).toHaveLength(3);
        expect(await summary(server)).toMatchObject({ ...rejected(3, 2, 5), totals: { attempts: 1, events_lost_at_least: true } });
      }
      await send(server, 2);
      expect(await series(server)).toMatchObject(rejected(3, 2, 5));
    });

    test('of a late batch, which fills its hole and no more', async () => {
      const server = 'late-rejected';
      await send(server, 1);
      await send(server, 3);
      await send(server, 2, { records: [unreadable(server, 2)] });
      expect(await summary(server)).toMatchObject(rejected(1, 2, 2));
    });

    test('of a batch without numbers: of its server alone, a record with an id once however it comes again', async () => {
      const [server, beside] = ['unnumbered-rejected', 'unnumbered-beside'];
      const [first, second] = [unreadable(server, 2), unreadable(server, 4)];
      await post([first, attemptRecord({ server: beside, at: START + 3 * MINUTE })]);
      expect(await summary(server)).toMatchObject(rejected(1, 2, 2));
      await post([first, second]);
      await post([second], 'application/x-ndjson');
      expect(await summary(server)).toMatchObject(rejected(2, 2, 4));
      expect(await summary(beside)).toMatchObject({ at_least: false });
      await post([unreadable(server, 5, { id: undefined })]);
      await post([unreadable(server, 5, { id: undefined })]);
      expect(await summary(server)).toMatchObject({ dropped_records: 4, rejected_records: 4 });
    });

    test('over WebSocket and OpenTelemetry as well', async () => {
      const server = 'doors-rejected';
      const socket = new WebSocket(`${base().replace('http', 'ws')}/api/v1/telemetry/ws`);
      await once(socket, 'open');
      socket.send(JSON.stringify({ seq: 1, records: [unreadable(server, 1)] }));
      await once(socket, 'message');
      socket.close();
      const attributes = [{ key: 'tidemark.type', value: { stringValue: 'resume_attempt' } }];
      const resource = { attributes: [{ key: 'service.name', value: { stringValue: server } }] };
      const timeUnixNano = String(BigInt(START + 2 * MINUTE) * 1_000_000n);
      const body = JSON.stringify({ resourceLogs: [{ resource, scopeLogs: [{ logRecords: [{ timeUnixNano, attributes }] }] }] });
      await call(`${base()}/v1/logs`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
      expect(await summary(server)).toMatchObject({ at_least: true, rejected_records: 2 });
    });

    test('in parts of a large body, each record once', async () => {
      const server = 'large-rejected';
      const records = Array.from({ length: 21_000 }, (_, index) =>
        index % 7_000 === 5 ? unreadable(server, 3) : { type: 'boot', server, id: randomUUID(), at: START + 3 * MINUTE, generation: index },
      );
      for (const _ of ['once', 'again']) await post(records, 'application/x-ndjson');
      expect(await summary(server)).toMatchObject(rejected(3, 3, 3));
    });

    test('which the list of servers says of each of them', async () => {
      const [server, beside] = ['listed-rejected', 'listed-beside'];
      await post([
        unreadable(server, 2),
        ...[server, beside].map((name) => attemptRecord({ server: name, at: START + 3 * MINUTE, id: randomUUID() })),
      ]);
      const { items } = (await answer(`${base()}/api/v1/servers?${period}&server=${server},${beside}`)) as { items?: unknown[] };
      expect(items).toHaveLength(2);
      expect(items).toContainEqual(expect.objectContaining({ server, at_least: true, attempts: 1 }));
      expect(items).toContainEqual(expect.objectContaining({ server: beside, at_least: false }));
      const { totals } = (await answer(`${base()}/api/v1/servers/${server}?${period}`)) as { totals?: unknown };
      expect(totals).toMatchObject({ at_least: true });
    });

    test('of which nothing can be read: of whatever its producer reports on, up to its receipt', async () => {
      const server = 'opaque-rejected';
      await send(server, 1);
      await send(server, 2, { records: [{ nothing: 'that is known' }] });
      const url = `${base()}/api/v1/summary?from=${START}&to=${Date.now() + MINUTE}&server=${server}`;
      expect(await answer(url)).toMatchObject({ at_least: true, rejected_records: 1 });
      expect(await answer(url.replace(server, 'whole'))).toMatchObject({ at_least: false });
    });
  });

  test('is told only for servers that the producer reports on, and of periods that it lies in', async () => {
    await send('one', 1);
    await send('one', 9);
    await send('another', 1);
    expect(await summary('another')).toMatchObject({ at_least: false });
    const after = await call(`${base()}/api/v1/summary?from=${START + 30 * MINUTE}&to=${START + 40 * MINUTE}&server=one`);
    expect(after.body).toMatchObject({ at_least: false, blind: [] });
    const within = await call(`${base()}/api/v1/summary?from=${START + 3 * MINUTE}&to=${START + 4 * MINUTE}&server=one`);
    expect(within.body).toMatchObject({ at_least: true, blind: [{ from: iso(3), to: iso(4) }] });
  });

  test('is known from frames of a WebSocket as well', async () => {
    const socket = new WebSocket(`${base().replace('http', 'ws')}/api/v1/telemetry/ws`);
    await once(socket, 'open');
    for (const seq of [1, 4]) {
      socket.send(
        JSON.stringify({
          seq,
          producer: 'framed',
          epoch: 1,
          dropped: 0,
          records: [attemptRecord({ server: 'framed', at: START + seq * MINUTE })],
        }),
      );
      await once(socket, 'message');
    }
    socket.close();
    expect(await summary('framed')).toMatchObject({ at_least: true, lost_batches: 2, blind: [{ from: iso(1), to: iso(4) }] });
  });

  describe('holds what senders without numbers say they dropped before a record', () => {
    const dropping = (server: string, minute: number, dropped_before?: number) =>
      attemptRecord({ server, node: 'n', at: START + minute * MINUTE, ...(dropped_before === undefined ? {} : { dropped_before }) });
    const missing = (records: number, from: number, to: number) => ({
      at_least: true,
      lost_batches: 0,
      dropped_records: records,
      blind: [{ from: iso(from), to: iso(to) }],
    });
    const post = (body: string, mediaType: string, path = '/api/v1/telemetry') =>
      call(`${base()}${path}`, { method: 'POST', headers: { 'content-type': mediaType }, body });

    test.each([
      { name: 'JSON', mediaType: 'application/json', write: JSON.stringify },
      {
        name: 'lines',
        mediaType: 'application/x-ndjson',
        write: (records: unknown[]) => records.map((record) => JSON.stringify(record)).join('\n'),
      },
    ])('as $name, each once however often it is sent, after what was known of the node', async ({ name, mediaType, write }) => {
      const server = `unnumbered-${name}`;
      const first = write([dropping(server, 1)]);
      const second = write([dropping(server, 5, 8), dropping(server, 6)]);
      for (const body of [first, second, second]) {
        expect((await post(body, mediaType)).status).toBe(202);
        expect((await summary(server))['at_least']).toBe(body !== first);
      }
      expect(await summary(server)).toMatchObject({ ...missing(8, 1, 5), totals: { attempts: 3, events_lost_at_least: true } });
      expect(await series(server)).toMatchObject(missing(8, 1, 5));
      expect((await post(write([dropping(server, 9, 2)]), mediaType)).status).toBe(202);
      expect(await summary(server)).toMatchObject({ dropped_records: 10 });
    });

    test('in frames without a producer', async () => {
      const socket = new WebSocket(`${base().replace('http', 'ws')}/api/v1/telemetry/ws`);
      await once(socket, 'open');
      socket.send(JSON.stringify({ seq: 7, records: [dropping('unnumbered-frame', 3, 4)] }));
      await once(socket, 'message');
      socket.close();
      expect(await summary('unnumbered-frame')).toMatchObject(missing(4, 3, 3));
    });

    test('in exports of OpenTelemetry', async () => {
      const attributes = Object.entries({ type: 'boot', dropped_before: 3 }).map(([key, value]) => ({
        key: `tidemark.${key}`,
        value: typeof value === 'number' ? { intValue: String(value) } : { stringValue: value },
      }));
      const resource = { attributes: [{ key: 'service.name', value: { stringValue: 'unnumbered-export' } }] };
      const timeUnixNano = String(BigInt(START + 2 * MINUTE) * 1_000_000n);
      const body = JSON.stringify({ resourceLogs: [{ resource, scopeLogs: [{ logRecords: [{ timeUnixNano, attributes }] }] }] });
      for (const _ of ['once', 'again']) expect((await post(body, 'application/json', '/v1/logs')).status).toBe(200);
      expect(await summary('unnumbered-export')).toMatchObject(missing(3, 2, 2));
    });

    test('but not in numbered batches, which count it themselves', async () => {
      await send('numbered', 1);
      await send('numbered', 2, { dropped: 6, records: [dropping('numbered', 2, 6)] });
      expect(await summary('numbered')).toMatchObject(missing(6, 1, 2));
    });

    test('and of that server alone', async () => {
      expect(await summary('whole')).toMatchObject({ at_least: false });
    });
  });

  describe('holds what the proxy itself could not hand on', () => {
    const told = (from: number, to: number, server: string) =>
      Array.from({ length: to - from }, (_, i) => ({
        type: 'boot' as const,
        id: randomUUID(),
        server,
        node: 'proxy-1',
        at: START + (from + i) * MINUTE,
      }));
    const storedRecords = async (from: Sql, server: string) => {
      const [row] = await from<{ rows: number }[]>`
        select count(*)::int as rows from record r join server s on s.id = r.server_id where s.name = ${server}`;
      return row?.rows;
    };

    test('since its queue was full: at least that many', async () => {
      const server = 'proxied-full';
      const locks = new Transactions(database.postgres.connection, 1, 'test');
      const { intake } = edges[0]?.services ?? expect.fail('no edge');
      const { sink, drain } = intakeSink((records) => intake.submit(records), ignoreLog, { waitingMax: 4, batchMax: 2 });
      sink(told(0, 1, server));
      await waitFor(
        () => storedRecords(sql, server),
        (rows) => rows === 1,
      );
      await locks.run(async (tx) => {
        await tx.query('lock table record in access exclusive mode');
        sink(told(1, 3, server));
        sink([...told(3, 9, server), ...told(3, 6, 'proxied-beside')]);
        sink(told(9, 12, server));
        await tx.query('commit');
      });
      await drain();
      await locks.close();
      // Two in flight, four that waited, and the last one, which says so of the four before it.
      expect(await storedRecords(sql, server)).toBe(8);
      expect(await summary(server)).toMatchObject({ at_least: true, lost_batches: 0, dropped_records: 4, blind: [{ to: iso(11) }] });
      expect(await summary('proxied-beside')).toMatchObject({ at_least: true, dropped_records: 2, totals: { events_lost_at_least: true } });
    });

    test('since the database was away for longer than it tries, however long', async () => {
      const server = 'proxied-away';
      const own = await startTestDatabase();
      const edge = await startEdge(own.postgres.connection);
      const logged: string[] = [];
      const log: ProxyLog = (_level, message) => void logged.push(message);
      const { sink, drain } = intakeSink((records) => edge.services.intake.submit(records), log, { triesMax: 2, retryMs: 1 });
      await own.postgres.stop();
      sink(told(0, 5, server));
      sink(told(5, 8, server));
      await waitFor(
        async () => logged.length,
        (times) => times >= 4,
      );
      const back = await startPostgresIn(own.dataDir);
      sink(told(8, 9, server));
      const sqlBack = connectDatabase(back.connection, 1, 'test');
      await waitFor(
        () => storedRecords(sqlBack, server),
        (rows) => (rows ?? 0) >= 1,
      );
      await drain();
      const rows = (await storedRecords(sqlBack, server)) ?? 0;
      const { body } = await waitFor(
        () => call(`${edge.base}/api/v1/summary?${period}&server=${server}`),
        ({ status }) => status !== 503,
      );
      expect(body).toMatchObject({ at_least: true, dropped_records: 9 - rows });
      expect(rows).toBeLessThan(9);
      await sqlBack.end({ timeout: 1 });
      await edge.stop();
      await back.stop();
      await own.stop();
    });
  });

  test('holds what the proxy gave up as its process ended, once the next one reports anything', async () => {
    const server = 'proxied-ended';
    const file = join(mkdtempSync(join(tmpdir(), 'tidemark-untold-')), 'untold.json');
    const boots = (records: number) =>
      Array.from({ length: records }, () => ({ type: 'boot' as const, id: randomUUID(), server, node: 'proxy-2' }));
    const away = intakeSink(() => Promise.reject(new Error('away')), ignoreLog, { triesMax: 1 });
    away.sink(boots(5));
    leaveUntold(file, await away.drain(), ignoreLog);
    leaveUntold(file, new Map([[server, 2]]), ignoreLog);

    const { intake } = edges[0]?.services ?? expect.fail('no edge');
    const next = intakeSink((records) => intake.submit(records), ignoreLog, {}, takeUntold(file, ignoreLog));
    next.sink(boots(1));
    next.sink(boots(1));
    expect(await next.drain()).toEqual(new Map());
    expect(takeUntold(file, ignoreLog)).toEqual(new Map());
    const { body } = await call(`${edges[0]?.base}/api/v1/summary?from=0&server=${server}`);
    expect(body).toMatchObject({ at_least: true, lost_batches: 0, dropped_records: 7 });
    rmSync(dirname(file), { recursive: true });
  });

  test('does not depend on the order in which many processes and connections were handed the batches', async () => {
    const sequences = Array.from({ length: 120 }, (_, i) => 1 + ((i * 37) % 120)).filter((sequence) => sequence % 10 !== 0);
    const queue = [...sequences, ...sequences.slice(0, 30)];
    const work = async (edge: number): Promise<void> => {
      for (let sequence = queue.pop(); sequence !== undefined; sequence = queue.pop()) {
        const records = [attemptRecord({ server: 'storm', at: START + sequence * 1000, id: idOf('storm', sequence) })];
        expect((await send('storm', sequence, { edge, records, dropped: sequence })).status).toBe(202);
      }
    };
    await Promise.all([work(0), work(0), work(0), work(1), work(1), work(1)]);
    expect(await summary('storm')).toMatchObject({ lost_batches: 11, dropped_records: 119, totals: { attempts: 108 } });
  });
});

test('the measure blind counts what became known to be missing, by server, once it had time to come late', async () => {
  await send('watched', 1);
  await send('watched', 4, { dropped: 5 });
  await summary('watched');
  const now = Date.now();
  const measures = new PostgresMeasures(sql);
  const rule = (measure: string) =>
    ruleOf({ name: 'r', measure, threshold: 1, group_by: ['server'], filter: { server: ['watched'] }, window_s: 600 });
  const count = async (measure: string, toMs: number) =>
    (await measures.buckets(rule(measure), now - 10 * MINUTE, toMs, MINUTE)).reduce((sum, bucket) => sum + bucket.count, 0);
  expect(await count('blind', now + 1000)).toBe(0);
  expect(await count('blind', now + 31_000)).toBe(7);
  const attempts = (await measures.buckets(rule('blind_rate'), now - 10 * MINUTE, now + 31_000, MINUTE)).reduce(
    (sum, bucket) => sum + bucket.attempts,
    0,
  );
  expect(attempts).toBe(2);
  await send('watched', 2);
  await send('watched', 3);
  await summary('watched');
  expect(await count('blind', now + 31_000)).toBe(5);
});
