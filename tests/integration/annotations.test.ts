import { Compile } from 'typebox/compile';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Annotations } from '@/lib/wire/annotation-responses';
import { call, postJson } from './api-client';
import { startTestDatabase, type TestDatabase } from './database';
import { type Edge, startEdge } from './edge';

let database: TestDatabase;
let edge: Edge;

beforeAll(async () => {
  database = await startTestDatabase();
  edge = await startEdge(database.postgres.connection);
});
afterAll(async () => {
  await edge?.stop();
  await database?.stop();
});

const HOUR = 3_600_000;
/** The begin of an hour well in the past, so that no count straddles a step. */
const BASE = Math.floor(Date.now() / HOUR) * HOUR - 5 * HOUR;

async function read(query: string): Promise<Annotations['items']> {
  const reply = await call(`${edge.base}/api/v1/annotations?${query}`);
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  expect([...Compile(Annotations).Errors(reply.body)]).toEqual([]);
  return (reply.body as unknown as Annotations).items;
}

const boot = (server: string, minute: number, node: string) => ({
  type: 'boot',
  server,
  node,
  generation: minute,
  at: BASE + minute * 60_000,
});
const evict = (server: string, minute: number, cause: string) => ({
  type: 'evict',
  server,
  session: 's',
  floor: minute,
  cause,
  at: BASE + minute * 60_000,
});
const session = (server: string, minute: number, event: string) => ({
  type: 'session',
  server,
  session: 's',
  event,
  at: BASE + minute * 60_000,
});

test('boots, changes of generation and evictions are counted by step, by minutes and by hours alike', async () => {
  const records = [
    boot('a', 3, 'n1'),
    boot('a', 4, 'n2'),
    boot('b', 4, 'n3'),
    session('a', 5, 'restored'),
    session('a', 6, 'created'),
    session('b', 7, 'evicted'),
    ...Array.from({ length: 40 }, (_, index) => evict('a', 10 + index, 'count')),
    evict('a', 20, 'memory'),
  ];
  expect((await postJson(`${edge.base}/api/v1/telemetry`, records)).body).toMatchObject({ accepted: records.length });
  const range = `from=${BASE}&to=${BASE + 2 * HOUR}`;
  const told = (items: Annotations['items']) => items.map(({ kind, count, servers }) => `${kind} ${count} ${servers.join()}`).sort();
  const hourly = ['boot 3 a,b', 'eviction 40 a', 'forced_eviction 1 a', 'generation 1 a', 'session_evicted 1 b'];
  expect(told(await read(`${range}&step=3600`))).toEqual(hourly);
  const minutely = await read(`${range}&step=60`);
  expect(minutely.filter(({ kind }) => kind === 'boot').map(({ at, count, servers }) => [Date.parse(at) - BASE, count, servers])).toEqual([
    [180_000, 1, ['a']],
    [240_000, 2, ['a', 'b']],
  ]);
  expect(minutely.filter(({ kind }) => kind === 'eviction').reduce((sum, { count }) => sum + count, 0)).toBe(40);
  expect(told(await read(`${range}&step=3600&server=b`))).toEqual(['boot 1 b', 'session_evicted 1 b']);
  expect(await read(`from=${BASE + 2 * HOUR}&to=${BASE + 3 * HOUR}`)).toEqual([]);
});

test('a record that is sent twice is noted once', async () => {
  const record = { ...boot('twice', 65, 'n1'), id: '5f3a2f58-2b0b-4e6b-9a41-6a7a7d3f0001' };
  for (const _round of [0, 1]) await postJson(`${edge.base}/api/v1/telemetry`, [record]);
  expect(await read(`from=${BASE + HOUR}&to=${BASE + 2 * HOUR}&server=twice`)).toMatchObject([{ kind: 'boot', count: 1 }]);
});

test('a deploy that is told of stands beside the attempts of its server and in the change log', async () => {
  const deploy = { server: 'a', version: 'v42', at: new Date(BASE + 90 * 60_000).toISOString() };
  const reply = await postJson(`${edge.base}/api/v1/deploys`, deploy);
  expect(reply).toMatchObject({ status: 201, body: deploy });
  const range = `from=${BASE + HOUR}&to=${BASE + 2 * HOUR}`;
  expect(await read(`${range}&server=a`)).toMatchObject([{ kind: 'deploy', at: deploy.at, servers: ['a'], label: 'v42' }]);
  expect((await read(`${range}&server=b`)).filter(({ kind }) => kind === 'deploy')).toEqual([]);
  const changes = await call(`${edge.base}/api/v1/changes?action=deploy`);
  expect(changes.body).toMatchObject({ items: [{ subject: 'a', to: { version: 'v42' } }] });
});

test.each([
  [{ server: '' }, 'server'],
  [{ server: 'a', at: 'yesterday' }, 'at'],
  [{ server: 'a', at: -1 }, 'at'],
  [{ version: 'v1' }, 'server'],
])('a deploy that cannot be read is refused with its field: %j', async (body, path) => {
  expect(await postJson(`${edge.base}/api/v1/deploys`, body)).toMatchObject({
    status: 400,
    body: { error: { code: 'invalid_field', path } },
  });
});

test('steps that would be too many are refused', async () => {
  const reply = await call(`${edge.base}/api/v1/annotations?from=${BASE - 30 * 24 * HOUR}&to=${BASE}&step=60`);
  expect(reply).toMatchObject({ status: 400, body: { error: { code: 'invalid_field', path: 'step' } } });
});
