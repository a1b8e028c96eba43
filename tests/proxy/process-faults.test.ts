import { afterEach, describe, expect, test } from 'vitest';
import { CountingClient, lostUnannounced } from '@/tests/proxy/counting-client';
import { type AdoptingUpstream, adoptingUpstream, proxyProcess } from '@/tests/proxy/processes';
import { fetchRaw, initialize, openStream, post, rpc } from '@/tests/proxy/raw-client';
import { until } from '@/tests/proxy/start-proxy';

/** Faults of real processes, killed as the system kills them. Each ends in the count of events lost unannounced: zero. */
const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function inFront(routes: readonly Record<string, unknown>[] = [{}]) {
  const upstream = await adoptingUpstream();
  cleanups.push(upstream.stop);
  const named = routes.map((route, i) => ({ name: `r${i}`, upstream: upstream.url, mode: 'enforce', ...route }));
  const proxy = await proxyProcess(named);
  cleanups.push(proxy.stop);
  return { upstream, proxy, urls: named.map(({ name }) => `${proxy.origin}/proxy/${name}`) };
}

const connectAll = (url: string, count: number) => inBatches(count, () => CountingClient.connect(url));

/** As many at once as a listening socket takes without letting one wait for a repeated knock. */
async function inBatches<T>(count: number, make: (index: number) => Promise<T>): Promise<T[]> {
  const made: T[] = [];
  while (made.length < count) {
    const size = Math.min(200, count - made.length);
    made.push(...(await Promise.all(Array.from({ length: size }, (_, i) => make(made.length + i)))));
  }
  return made;
}

/** Emits the same number of events on every client's stream and waits until all have them; answers them. */
async function emitTo(upstream: AdoptingUpstream, clients: readonly CountingClient[], count: number): Promise<string[]> {
  const emitted = await upstream.emit(
    clients.map((client) => client.token),
    count,
  );
  await until(() => clients.every((client) => client.read().received.includes(emitted.at(-1) ?? '')));
  return emitted;
}

/** Nobody listens at the upstream, and the proxy has met nobody there: what comes next is another process for certain. */
const untilMissed = (url: string, client: CountingClient | undefined) =>
  until(async () => (await post(url, client?.session ?? {}, rpc(1, 'ping'))).status === 502);

const total = (clients: readonly CountingClient[], emitted: readonly string[]): number =>
  clients.reduce((sum, client) => sum + lostUnannounced(client, emitted), 0);

describe.each(['upstream', 'proxy'] as const)('replay %s', (replay) => {
  test('the upstream is killed in mid-stream and its successor takes every session for its own', async () => {
    const { upstream, urls } = await inFront([{ replay }]);
    const clients = await connectAll(urls[0] ?? '', 20);
    const before = await emitTo(upstream, clients, 5);
    await upstream.kill();
    await until(() => clients.every((client) => client.isCut));
    await untilMissed(urls[0] ?? '', clients[0]);
    await upstream.start();
    const after = await upstream.emit(
      clients.map((client) => client.token),
      9,
    );
    await Promise.all(clients.map((client) => client.comeBack()));
    expect(new Set(clients.map((client) => client.read().told))).toEqual(new Set(['409 generation_mismatch']));
    expect(total(clients, [...before, ...after])).toBe(0);
  });

  test('the upstream is replaced while the proxy stands still, so that nobody is ever refused a connection: doubt is a refusal', async () => {
    const { upstream, proxy, urls } = await inFront([{ replay }]);
    const clients = await connectAll(urls[0] ?? '', 20);
    const before = await emitTo(upstream, clients, 5);
    proxy.signal('SIGSTOP');
    await upstream.kill();
    await upstream.start();
    const after = await upstream.emit(
      clients.map((client) => client.token),
      9,
    );
    proxy.signal('SIGCONT');
    await until(() => clients.every((client) => client.isCut));
    await Promise.all(clients.map((client) => client.comeBack()));
    expect(new Set(clients.map((client) => client.read().told))).toEqual(new Set(['409 generation_unknown']));
    expect(total(clients, [...before, ...after])).toBe(0);
  });

  test('the proxy is killed and restarted: what it knew of is refused as generation_unknown, and nothing of it is served', async () => {
    const { upstream, proxy, urls } = await inFront([{ replay }]);
    const url = urls[0] ?? '';
    const clients = await connectAll(url, 20);
    const before = await emitTo(upstream, clients, 5);
    await proxy.kill();
    const missed = await upstream.emit(
      clients.map((client) => client.token),
      3,
    );
    await proxy.start();
    await Promise.all(clients.map((client) => client.comeBack()));
    expect(new Set(clients.map((client) => client.read().told))).toEqual(new Set(['409 generation_unknown']));
    expect(total(clients, [...before, ...missed])).toBe(0);
    expect((await post(url, clients[0]?.session ?? {}, rpc(1, 'tools/list'))).status).toBe(404);
    expect((await initialize(url))['mcp-session-id']).toBeDefined();
  });
});

test('a storm of 2,000 clients whose upstream was restarted: each is told, none is served, the route stays enforced', async () => {
  const { upstream, urls } = await inFront();
  const url = urls[0] ?? '';
  const clients = await connectAll(url, 2000);
  const before = await emitTo(upstream, clients, 2);
  await upstream.kill();
  await until(() => clients.every((client) => client.isCut));
  await untilMissed(url, clients[0]);
  await upstream.start();
  const after = await upstream.emit(
    clients.map((client) => client.token),
    4,
  );
  await Promise.all(clients.map((client) => client.comeBack()));
  await inBatches(2000, async (i) => clients[i]?.told === null && clients[i]?.comeBack());
  expect(new Set(clients.map((client) => client.read().told))).toEqual(new Set(['409 generation_mismatch']));
  expect(total(clients, [...before, ...after])).toBe(0);
  const fenced = await fetchRaw(url, { headers: { ...clients[1999]?.session, 'last-event-id': '1' } });
  expect(fenced.status).toBe(404);
});

test('a reader that stopped in front of a server that floods: the memory of the proxy stays bounded', async () => {
  const { proxy, urls } = await inFront([{ replay: 'proxy', buffer: { events: 1000, bytes: 1_048_576, ttl_ms: 60_000 } }]);
  const url = urls[0] ?? '';
  const session = await initialize(url);
  const before = await proxy.residentBytes();
  const stream = await openStream(url, { headers: { ...session, flood: '40000x8000' } });
  stream.response.pause();
  let most = 0;
  let seen = -1;
  await until(async () => {
    most = Math.max(most, await proxy.residentBytes());
    const isStill = seen === stream.bytes().length;
    seen = stream.bytes().length;
    return isStill;
  });
  stream.response.resume();
  await until(async () => {
    most = Math.max(most, await proxy.residentBytes());
    return stream.events.length === 40_000;
  });
  // 320 MB went through; what the proxy holds is its log, its sockets' buffers and garbage.
  expect(most - before).toBeLessThan(128 * 1024 * 1024);
  expect(stream.events.every(({ data }, i) => JSON.parse(data).params.data === String(i + 1))).toBe(true);
  stream.close();
});
