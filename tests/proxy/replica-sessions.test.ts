import { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { RedisLogStore } from '@/lib/proxy/redis/redis-log-store';
import { ROUTE_DEFAULTS } from '@/lib/proxy/route';
import { initialize, openStream, post, rpc } from '@/tests/proxy/raw-client';
import { redisOfFile } from '@/tests/proxy/redis-of-file';
import { frame, openSse, type SeenRequest, scriptedUpstream } from '@/tests/proxy/scripted-upstream';
import { type RunningProxy, startProxy, until } from '@/tests/proxy/start-proxy';

/** What an operator sees and does at one replica holds for the sessions of all of them. */

const { redis, cleanups } = redisOfFile();

let names = 0;
async function replica(upstream: string, group = ''): Promise<RunningProxy> {
  const node = `node-${++names}`;
  const store = new RedisLogStore({
    url: redis.url,
    node,
    group,
    clock: Date.now,
    retention: ROUTE_DEFAULTS.buffer,
    onError: () => undefined,
  });
  const running = await startProxy({ upstream, mode: 'enforce' }, { store, node });
  cleanups.push(running.stop);
  await store.ready();
  return running;
}

/** Two replicas in front of a server that gives every client a session and two events on its standalone stream. */
async function twoReplicas(): Promise<[RunningProxy, RunningProxy]> {
  const upstream = await scriptedUpstream(({ res, method, body }: SeenRequest) => {
    if (method === 'GET') openSse(res).write(frame('e1') + frame('e2'));
    else if (body.includes('initialize'))
      res.writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': `S-${Math.random()}` }).end('{}');
    else res.writeHead(202).end();
  });
  cleanups.push(upstream.stop);
  return [await replica(upstream.url), await replica(upstream.url)];
}

/** Both replicas hear each other once each of them counts two. */
const listOf = (running: RunningProxy) =>
  until(async () => {
    const list = await running.proxy.allSessions('r', 10);
    return list?.replicas === 2 ? list : null;
  });

test('each replica lists the sessions of all, with who listens where, how far it is, and who served it', async () => {
  const [one, two] = await twoReplicas();
  const listening = await initialize(one.url());
  const stream = await openStream(one.url(), { headers: listening });
  await until(() => stream.events.length === 2);
  await initialize(two.url());
  await post(two.url(), listening, rpc(null, 'notifications/x'));
  for (const running of [one, two]) {
    const { items, silent } = await listOf(running);
    expect(silent).toBe(0);
    expect(items).toHaveLength(2);
    const shared = items.find(({ nodes }) => nodes.length === 2);
    expect(shared?.streams).toMatchObject([{ stream: 'get', floor: 1, head: 2, hasListener: true, isReadUpstream: true, leadToFloor: 2 }]);
    expect(items.find(({ nodes }) => nodes.length === 1)?.streams).toEqual([]);
  }
  stream.close();
  await until(async () => (await listOf(two)).items.some(({ streams }) => streams[0]?.hasListener === false));
  const away = (await listOf(two)).items.find(({ streams }) => streams.length === 1);
  expect(away?.streams).toMatchObject([{ hasListener: false, isReadUpstream: false, leadToFloor: 2 }]);
});

test('a session that another replica serves is ended from here: its stream ends, it is gone on both, and it is reported once', async () => {
  const [one, two] = await twoReplicas();
  const session = await initialize(one.url());
  const stream = await openStream(one.url(), { headers: session });
  await until(() => stream.events.length === 2);
  const [item] = (await listOf(two)).items;
  expect(await two.proxy.endSession('r', item?.ref ?? '')).toBe(true);
  await until(() => stream.isCut() || stream.isEnded());
  for (const running of [one, two]) {
    expect((await post(running.url(), session, rpc(1, 'tools/list'))).status).toBe(404);
    expect((await listOf(running)).items).toEqual([]);
  }
  expect(await two.proxy.endSession('r', item?.ref ?? '')).toBe(false);
  for (const running of [one, two]) await running.proxy.close();
  const ended = [...one.records, ...two.records].filter((record) => record.type === 'session' && record.event === 'ended');
  expect(ended).toHaveLength(1);
});

test('one that both served is ended on both', async () => {
  const [one, two] = await twoReplicas();
  const session = await initialize(one.url());
  const stream = await openStream(one.url(), { headers: session });
  await until(() => stream.events.length === 2);
  await post(two.url(), session, rpc(null, 'notifications/x'));
  const [item] = (await listOf(two)).items;
  expect(await two.proxy.endSession('r', item?.ref ?? '')).toBe(true);
  await until(() => stream.isCut() || stream.isEnded());
  await until(async () => (await listOf(one)).items.length === 0);
});

test('a replica that does not answer is counted, and one of another installation is not asked', async () => {
  const [one] = await twoReplicas();
  await replica('http://127.0.0.1:1/mcp', 'another');
  const mute = new Redis(redis.url);
  cleanups.push(async () => mute.disconnect());
  await mute.subscribe('tidemark:ask:');
  const list = await until(async () => {
    const told = await one.proxy.allSessions('r', 10);
    return told?.replicas === 2 ? told : null;
  });
  expect(list.silent).toBe(1);
});
