import { Redis } from 'ioredis';
import { describe, expect, test } from 'vitest';
import { RedisLogStore } from '@/lib/proxy/redis/redis-log-store';
import { ROUTE_DEFAULTS } from '@/lib/proxy/route';
import { fetchRaw, initialize, openStream, post, postStream, resume, rpc } from '@/tests/proxy/raw-client';
import { redisOfFile } from '@/tests/proxy/redis-of-file';
import { frame, openSse, resultFor, type SeenRequest, scriptedUpstream, withSession } from '@/tests/proxy/scripted-upstream';
import { type RouteSpec, type RunningProxy, startProxy, until } from '@/tests/proxy/start-proxy';

/** What one replica saw of an upstream counts for all, and what none saw is never taken for nothing. */

const { redis, cleanups } = redisOfFile();

let names = 0;
interface Replica extends RunningProxy {
  /** Ends as a deploy ends it. */
  readonly end: () => Promise<void>;
}

async function replica(upstream: string, name: string, spec: Partial<RouteSpec> = {}): Promise<Replica> {
  const node = `generations-${++names}`;
  const store = new RedisLogStore({ url: redis.url, node, clock: Date.now, retention: ROUTE_DEFAULTS.buffer, onError: () => undefined });
  const running = await startProxy({ name, upstream, mode: 'enforce', ...spec }, { store, node });
  const end = async () => {
    cleanups.splice(cleanups.indexOf(running.stop), 1);
    await running.stop();
  };
  cleanups.push(running.stop);
  await store.ready();
  return { ...running, end };
}

/** A server that adopts any session and replays anything, as one does that keeps its sessions elsewhere; its pod is told. */
async function setUp(spec: Partial<RouteSpec> = {}) {
  const calls: SeenRequest[] = [];
  let pod = 'a';
  const answer = withSession(`S-${Math.random()}`, (request) => {
    if (request.method === 'DELETE') request.res.writeHead(200).end();
    else if (request.method === 'POST') {
      calls.push(request);
      openSse(request.res).write(frame('p1') + frame('p2'));
    } else openSse(request.res).write(request.headers['last-event-id'] === undefined ? frame('g1') : frame('g2'));
  });
  const upstream = await scriptedUpstream((request) => {
    request.res.setHeader('x-pod', pod);
    answer(request);
  });
  cleanups.push(upstream.stop);
  const name = `r${++names}`;
  const open = () => replica(upstream.url, name, spec);
  const restart = async () => {
    await upstream.kill();
    await upstream.restart();
  };
  const setPod = (next: string) => {
    pod = next;
  };
  return { upstream, open, restart, calls, setPod };
}

/** A session with one relayed event, whose stream its client left. */
async function session(running: RunningProxy): Promise<Record<string, string>> {
  const headers = await initialize(running.url());
  const stream = await openStream(running.url(), { headers });
  await until(() => stream.events.length === 1);
  stream.close();
  await until(async () => (await running.proxy.routes())[0]?.openStreams === 0);
  return headers;
}

async function answerOf(running: RunningProxy, headers: Record<string, string>): Promise<string> {
  const resumed = await resume(running.url(), headers, 'g1');
  if (resumed.status === 200) {
    resumed.close();
    return 'served';
  }
  await until(resumed.isEnded);
  return JSON.parse(resumed.bytes().toString()).error.data.reason;
}

describe('an upstream that restarts between two requests', () => {
  test.each(['the one that has the session', 'the one that never saw it'])('seen by one replica only, counts at %s', async (which) => {
    const { open, upstream } = await setUp();
    const [one, two] = [await open(), await open()];
    const headers = await session(one);
    const [seeing, asked] = which.startsWith('the one that has') ? [two, one] : [one, two];
    await upstream.kill();
    expect((await post(seeing.url(), {}, rpc(1, 'ping'))).status).toBe(502);
    await upstream.restart();
    expect(await answerOf(asked, headers)).toBe('generation_mismatch');
    expect((await post(seeing.url(), headers, rpc(1, 'ping'))).status).toBe(404);
  });

  test('is noticed by a replica that nobody asks anything', async () => {
    const { open, upstream } = await setUp();
    const [one, two] = [await open(), await open()];
    const headers = await session(one);
    await upstream.kill();
    await until(() => two.logs.some((line) => line.includes('nobody listens at the upstream')));
    await upstream.restart();
    expect(await answerOf(one, headers)).toBe('generation_mismatch');
  });

  test('while no replica runs cannot be known: cursors from before are of no known generation', async () => {
    const { open, restart } = await setUp();
    const one = await open();
    const headers = await session(one);
    await one.end();
    await restart();
    const two = await open();
    expect(await answerOf(two, headers)).toBe('generation_unknown');
  });

  test('a process on its own notices it too', async () => {
    const { upstream, restart } = await setUp();
    const one = await startProxy({ upstream: upstream.url, mode: 'enforce' });
    cleanups.push(one.stop);
    const headers = await session(one);
    await upstream.kill();
    await until(() => one.logs.some((line) => line.includes('nobody listens at the upstream')));
    await restart();
    expect(await answerOf(one, headers)).toBe('generation_mismatch');
  });
});

test('a replica that is replaced while another one watches costs no session', async () => {
  const { open } = await setUp();
  const [one, two] = [await open(), await open()];
  const headers = await session(one);
  await one.end();
  const three = await open();
  expect([await answerOf(two, headers), await answerOf(three, headers)]).toEqual(['served', 'served']);
});

test('a session of before incarnations were kept is in doubt', async () => {
  const { open } = await setUp();
  const one = await open();
  const headers = await session(one);
  const client = new Redis(redis.url);
  for (const key of await client.keys('tidemark:*:meta')) await client.hdel(key, 'incarnation');
  client.disconnect();
  expect(await answerOf(await open(), headers)).toBe('generation_unknown');
});

test('an instance header that changes counts at a replica that never saw the session', async () => {
  const { open, setPod } = await setUp({ instanceHeader: 'x-pod' });
  const [one, two] = [await open(), await open()];
  const headers = await session(one);
  expect(await answerOf(two, headers)).toBe('served');
  setPod('b');
  expect(await answerOf(await open(), headers)).toBe('generation_mismatch');
});

describe('what Redis keeps', () => {
  const kept = async () => {
    const client = new Redis(redis.url);
    const keys = (await client.keys('tidemark:*')).filter((key) => /:(ops|holds|bases)$/.test(key));
    client.disconnect();
    return keys;
  };

  test('of a session that ended is that it did', async () => {
    const { open, calls } = await setUp({ replay: 'proxy' });
    const [one, two] = [await open(), await open()];
    const before = await kept();
    const headers = await initialize(one.url());
    const call = await postStream(one.url(), headers, rpc(7, 'tools/call'));
    await until(() => call.events.length === 2);
    calls[0]?.res.end(frame('p3', resultFor(7)));
    await until(call.isEnded);
    expect((await kept()).length).toBeGreaterThan(before.length);
    expect((await fetchRaw(one.url(), { method: 'DELETE', headers })).status).toBe(200);
    expect(await kept()).toEqual(before);
    expect((await post(two.url(), headers, rpc(1, 'ping'))).status).toBe(404);
    expect((await fetchRaw(two.url(), { headers: { ...headers, 'last-event-id': 'p1' } })).status).toBe(404);
    await initialize(two.url());
    expect(await answerOf(one, { ...headers })).toBe('unknown_cursor');
  });

  test('of a session that ended while Redis was down is gone as soon as it is back', async () => {
    const { open } = await setUp();
    const [one, two] = [await open(), await open()];
    const headers = await session(one);
    await redis.kill();
    expect((await fetchRaw(one.url(), { method: 'DELETE', headers })).status).toBe(200);
    await redis.restart();
    await until(async () => (await post(two.url(), headers, rpc(1, 'ping'))).status === 404);
  });

  test("is as much as the session's own route asks for, whoever reads it", async () => {
    const { open, calls } = await setUp({ replay: 'proxy', buffer: { events: 3, bytes: 1e6, ttlMs: 60_000 } });
    const [one, two] = [await open(), await open()];
    const headers = await initialize(one.url());
    const call = await postStream(one.url(), headers, rpc(7, 'tools/call'));
    await until(() => call.events.length === 2);
    calls[0]?.res.write(frame('p3') + frame('p4') + frame('p5'));
    await until(() => call.events.length === 5);
    calls[0]?.res.end(frame('p6', resultFor(7)));
    await until(call.isEnded);
    for (const running of [two, one]) {
      const early = await fetchRaw(running.url(), { headers: { ...headers, 'last-event-id': 'p2' } });
      expect([early.status, JSON.parse(early.body).error.data.reason]).toEqual([409, 'below_floor']);
      const late = await resume(running.url(), headers, 'p3');
      await until(late.isEnded);
      expect(late.events.map(({ id }) => id)).toEqual(['p4', 'p5', 'p6']);
    }
  });
});
