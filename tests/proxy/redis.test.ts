import { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { RedisLogStore } from '@/lib/proxy/redis/redis-log-store';
import { ROUTE_DEFAULTS } from '@/lib/proxy/route';
import { fetchRaw, initialize, openStream, post, postStream, resume, rpc } from '@/tests/proxy/raw-client';
import { redisOfFile } from '@/tests/proxy/redis-of-file';
import { redisWire } from '@/tests/proxy/redis-wire';
import { frame, openSse, resultFor, type SeenRequest, scriptedUpstream, withSession } from '@/tests/proxy/scripted-upstream';
import { type RouteSpec, type RunningProxy, startProxy, until } from '@/tests/proxy/start-proxy';

const { redis, cleanups } = redisOfFile();

let names = 0;
async function replica(upstream: string, route: string, spec: Partial<RouteSpec> = {}, redisUrl = redis.url): Promise<RunningProxy> {
  const node = `node-${++names}`;
  const store = new RedisLogStore({
    url: redisUrl,
    node,
    clock: Date.now,
    retention: ROUTE_DEFAULTS.buffer,
    onError: () => undefined,
  });
  const running = await startProxy({ name: route, upstream, mode: 'enforce', ...spec }, { store, node });
  cleanups.push(running.stop);
  await store.ready();
  return running;
}

/** Two replicas in front of one upstream whose calls answer by hand. */
async function twoReplicas(spec: Partial<RouteSpec> = {}) {
  const calls: SeenRequest[] = [];
  const resumes: SeenRequest[] = [];
  const token = `S-${Math.random()}`;
  const upstream = await scriptedUpstream(
    withSession(token, (request) => {
      if (request.method === 'POST') {
        calls.push(request);
        openSse(request.res).write(frame('p1') + frame('p2'));
      } else if (request.headers['last-event-id'] === undefined) openSse(request.res).write(frame('g1'));
      else {
        resumes.push(request);
        openSse(request.res);
      }
    }),
  );
  cleanups.push(upstream.stop);
  const route = `r${++names}`;
  const one = await replica(upstream.url, route, spec);
  const two = await replica(upstream.url, route, spec);
  const session = await initialize(one.url());
  return { upstream, one, two, session, calls, resumes };
}

const error = (text: string) => JSON.parse(text).error;
const ids = (stream: { events: { id: string | undefined }[] }) => stream.events.map((event) => event.id);

test('any replica replays a finished call of any session', async () => {
  const { one, two, session, calls } = await twoReplicas({ replay: 'proxy' });
  const call = await postStream(one.url(), session, rpc(7, 'tools/call'));
  await until(() => call.events.length === 2);
  calls[0]?.res.end(frame('p3', resultFor(7)));
  await until(call.isEnded);
  const resumed = await resume(two.url(), session, 'p1');
  await until(resumed.isEnded);
  expect(ids(resumed)).toEqual(['p2', 'p3']);
  expect((await fetchRaw(two.url(), { headers: { ...session, 'last-event-id': 'never' } })).status).toBe(409);
});

test('a client resumes on another replica while the first still reads the call: nothing lost, nothing twice', async () => {
  const { one, two, session, calls, resumes } = await twoReplicas({ replay: 'proxy' });
  const call = await postStream(one.url(), session, rpc(7, 'tools/call'));
  await until(() => call.events.length === 2);
  call.close();
  const resumed = await resume(two.url(), session, 'p1');
  await until(() => resumed.events.length === 1);
  for (let i = 3; i < 20; i++) calls[0]?.res.write(frame(`p${i}`));
  calls[0]?.res.end(frame('p20', resultFor(7)));
  await until(resumed.isEnded);
  expect(ids(resumed)).toEqual(Array.from({ length: 19 }, (_, i) => `p${i + 2}`));
  expect(resumes).toEqual([]);
});

test('two replicas that judge one session at once give one verdict', async () => {
  const { one, two, session } = await twoReplicas();
  const stream = await openStream(one.url(), { headers: session });
  await until(() => stream.events.length === 1);
  stream.close();
  const cursors = ['never', 'nor this', 'x'.repeat(2000)];
  for (const cursor of cursors) {
    const ask = (running: RunningProxy) => fetchRaw(running.url(), { headers: { ...session, 'last-event-id': cursor } });
    const [a, b] = await Promise.all([ask(one), ask(two)]);
    expect([a.status, a.body]).toEqual([b.status, b.body]);
  }
});

test('a fence and a DELETE hold on every replica', async () => {
  const { one, two, session, upstream } = await twoReplicas();
  const stream = await openStream(one.url(), { headers: session });
  await until(() => stream.events.length === 1);
  stream.close();
  await initialize(two.url());
  const refused = await fetchRaw(one.url(), { headers: { ...session, 'last-event-id': 'g1' } });
  expect([refused.status, error(refused.body).data.reason]).toEqual([409, 'generation_mismatch']);
  expect((await post(two.url(), session, rpc(1, 'tools/list'))).status).toBe(404);
  await initialize(one.url());
  const answer = upstream.answer;
  upstream.answer = (request) => (request.method === 'DELETE' ? void request.res.writeHead(200).end() : answer(request));
  expect((await fetchRaw(one.url(), { method: 'DELETE', headers: session })).status).toBe(200);
  expect((await post(two.url(), session, rpc(1, 'tools/list'))).status).toBe(404);
});

test('a proxy that restarts keeps its sessions', async () => {
  const { one, session, upstream } = await twoReplicas({ replay: 'proxy' });
  const call = await postStream(one.url(), session, rpc(7, 'tools/call'));
  await until(() => call.events.length === 2);
  await one.stop();
  cleanups.splice(cleanups.indexOf(one.stop), 1);
  const next = await replica(upstream.url, one.proxy.routes()[0]?.name ?? '', { replay: 'proxy' });
  const resumed = await resume(next.url(), session, 'p1');
  await until(() => resumed.events.length === 1);
  expect(ids(resumed)).toEqual(['p2']);
  expect(upstream.seen.at(-1)?.headers['last-event-id']).toBe('p2');
  resumed.close();
});

test('Redis down: resumes get 503 with Retry-After, live traffic goes on, and what it relayed meanwhile is never passed over', async () => {
  const { one, two, session, calls } = await twoReplicas({ replay: 'proxy' });
  const call = await postStream(one.url(), session, rpc(7, 'tools/call'));
  await until(() => call.events.length === 2);
  await redis.kill();
  try {
    const down = await fetchRaw(two.url(), { headers: { ...session, 'last-event-id': 'p1' } });
    expect([down.status, error(down.body).code, down.headers['retry-after']]).toEqual([503, -32013, '2']);
    calls[0]?.res.write(frame('p3'));
    await until(() => call.events.length === 3);
    expect((await post(one.url(), session, rpc(null, 'notifications/x'))).status).toBe(202);
    call.close();
  } finally {
    await redis.restart();
  }
  // p3 was relayed and not logged: whoever resumes from before it must be told, whatever replica answers first.
  const statuses: number[] = [];
  await until(async () => {
    for (const running of [one, two])
      statuses.push((await fetchRaw(running.url(), { headers: { ...session, 'last-event-id': 'p1' } })).status);
    return statuses.at(-1) !== 503 && statuses.at(-2) !== 503;
  });
  expect(statuses).toContain(409);
  expect(statuses.filter((status) => ![404, 409, 503].includes(status))).toEqual([]);
});

test('shadow refuses nobody: with Redis down resumes, streams and ends of sessions pass, and are reported without a claim', async () => {
  const { one, session, upstream, resumes } = await twoReplicas({ mode: 'shadow' });
  const answer = upstream.answer;
  upstream.answer = (request) => (request.method === 'DELETE' ? void request.res.writeHead(200).end() : answer(request));
  const call = await postStream(one.url(), session, rpc(7, 'tools/call'));
  await until(() => call.events.length === 2);
  call.close();
  await redis.kill();
  try {
    const resumed = await resume(one.url(), session, 'p1');
    expect(resumed.status).toBe(200);
    resumes[0]?.res.end(frame('p2') + frame('p3', resultFor(7)));
    await until(resumed.isEnded);
    expect(ids(resumed)).toEqual(['p2', 'p3']);
    const standing = await openStream(one.url(), { headers: session });
    await until(() => standing.events.length === 1);
    standing.close();
    expect((await post(one.url(), session, rpc(null, 'notifications/x'))).status).toBe(202);
    expect((await fetchRaw(one.url(), { method: 'DELETE', headers: session })).status).toBe(200);
  } finally {
    await redis.restart();
  }
  const attempt = await until(() => one.records.find(({ type }) => type === 'resume_attempt'));
  expect(attempt).toMatchObject({ last_event_id: 'p1', verdict: 'resumed', status: 200 });
  expect(attempt).not.toHaveProperty('session_state');
});

test('a replica that was cut off from Redis says what it relayed unlogged before anybody may rely on the log', async () => {
  const calls: SeenRequest[] = [];
  const upstream = await scriptedUpstream(
    withSession(`S-${Math.random()}`, (request) => {
      if (request.method === 'POST') {
        calls.push(request);
        openSse(request.res).write(frame('p1') + frame('p2'));
      } else openSse(request.res);
    }),
  );
  cleanups.push(upstream.stop);
  const wire = await redisWire(redis.url);
  cleanups.push(wire.stop);
  const one = await replica(upstream.url, 'cut', { replay: 'proxy' }, wire.url);
  const two = await replica(upstream.url, 'cut', { replay: 'proxy' });
  const session = await initialize(one.url());
  const call = await postStream(one.url(), session, rpc(7, 'tools/call'));
  await until(() => call.events.length === 2);
  wire.cut();
  calls[0]?.res.write(frame('p3'));
  await until(() => call.events.length === 3);
  wire.mend();
  await until(async () => (await fetchRaw(one.url(), { headers: { ...session, 'last-event-id': 'never' } })).status !== 503);
  for (const running of [two, one]) {
    const answer = await fetchRaw(running.url(), { headers: { ...session, 'last-event-id': 'p2' } });
    expect([answer.status, error(answer.body).data.reason]).toEqual([409, 'hole']);
  }
});

test('what Redis keeps of a session is bounded by bytes too; what fell out is refused, what is left is served', async () => {
  const { one, two, session, calls } = await twoReplicas({ replay: 'proxy' });
  const call = await postStream(one.url(), session, rpc(7, 'tools/call'));
  await until(() => call.events.length === 2);
  for (let i = 3; i <= 402; i++) {
    calls[0]?.res.write(frame(`p${i}`, JSON.stringify('x'.repeat(100_000))));
    if (i % 20 === 0) await until(() => call.events.length >= i - 20);
  }
  await until(() => call.events.length === 402);
  const client = new Redis(redis.url);
  const bytesIn = async (key: string) =>
    (await client.xrangeBuffer(key, '-', '+')).flatMap(([, fields]) => fields).reduce((sum, text) => sum + text.length, 0);
  const kept = Math.max(...(await Promise.all((await client.keys('tidemark:*:ops')).map(bytesIn))));
  client.disconnect();
  expect(kept).toBeGreaterThan(ROUTE_DEFAULTS.buffer.bytes);
  expect(kept).toBeLessThanOrEqual(4 * ROUTE_DEFAULTS.buffer.bytes + 1024 * 1024);
  call.close();
  const early = await fetchRaw(two.url(), { headers: { ...session, 'last-event-id': 'p3' } });
  expect(early.status).toBe(409);
  const late = await resume(two.url(), session, 'p400');
  await until(() => late.events.length === 2);
  expect(ids(late)).toEqual(['p401', 'p402']);
  late.close();
});
