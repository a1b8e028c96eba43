import { describe, expect, test } from 'vitest';
import { CountingClient, catchUp, lostUnannounced } from '@/tests/proxy/counting-client';
import { type AdoptingUpstream, adoptingUpstream, proxyProcess } from '@/tests/proxy/processes';
import { redisOfFile } from '@/tests/proxy/redis-of-file';
import { until } from '@/tests/proxy/start-proxy';

/** Two proxy processes with one Redis in front of one server. Each fault ends in the count of events lost unannounced: zero. */
const { redis, cleanups } = redisOfFile();

const BUFFER = { events: 1000, bytes: 64 * 1024 * 1024, ttl_ms: 600_000 };

async function twoProxies(replay: 'upstream' | 'proxy'): Promise<{ upstream: AdoptingUpstream; urls: string[] }> {
  const upstream = await adoptingUpstream();
  cleanups.push(upstream.stop);
  const route = { name: `r${Math.random()}`.replace('.', ''), upstream: upstream.url, mode: 'enforce', replay, buffer: BUFFER };
  const secret = { REDIS_URL: redis.url, TIDEMARK_SECRET: 'the same secret on every replica' };
  const proxies = await Promise.all([proxyProcess([route], secret), proxyProcess([route], secret)]);
  for (const proxy of proxies) cleanups.push(proxy.stop);
  return { upstream, urls: proxies.map(({ origin }) => `${origin}/proxy/${route.name}`) };
}

describe.each(['upstream', 'proxy'] as const)('replay %s', (replay) => {
  test('clients that hop between the replicas while the server sends', async () => {
    const { upstream, urls } = await twoProxies(replay);
    const clients = await Promise.all(Array.from({ length: 12 }, () => CountingClient.connect(urls)));
    const tokens = clients.map((client) => client.token);
    const emitted = await upstream.emit(tokens, 3);
    await Promise.all(clients.map((client) => catchUp(client, emitted)));
    for (let round = 1; round <= 6; round++) {
      for (const client of clients) client.drop();
      const back = clients.map((client, i) => client.comeBack(round + i));
      emitted.push(...(await upstream.emit(tokens, 4)));
      await Promise.all(back);
      await Promise.all(clients.map((client) => catchUp(client, emitted)));
    }
    expect(clients.reduce((sum, client) => sum + lostUnannounced(client, emitted), 0)).toBe(0);
    // Whoever was refused was refused by name; in most rounds nobody is.
    expect(clients.filter(({ told }) => told === null).length).toBeGreaterThan(0);
  });

  test('both replicas judge one session at once: each answer is whole, a conflict, or a refusal', async () => {
    const { upstream, urls } = await twoProxies(replay);
    const client = await CountingClient.connect(urls);
    const emitted = await upstream.emit([client.token], 5);
    await until(() => client.read().received.length === 5);
    client.drop();
    emitted.push(...(await upstream.emit([client.token], 5)));
    const twins = Array.from({ length: 8 }, () => client.twin());
    await Promise.all(twins.map((twin, i) => twin.comeBack(i)));
    emitted.push(...(await upstream.emit([client.token], 5)));
    // Where one is served at a time, each lets go once it has everything.
    await Promise.all(twins.map((twin) => catchUp(twin, emitted).then(() => twin.drop())));
    expect(twins.map((twin) => lostUnannounced(twin, emitted))).toEqual(twins.map(() => 0));
  });

  test('Redis is killed and restarted in the middle of a replay', async () => {
    const { upstream, urls } = await twoProxies(replay);
    const clients = await Promise.all(Array.from({ length: 6 }, () => CountingClient.connect(urls)));
    const tokens = clients.map((client) => client.token);
    const emitted = await upstream.emit(tokens, 1);
    await Promise.all(clients.map((client) => catchUp(client, emitted)));
    for (const client of clients) client.drop();
    emitted.push(...(await upstream.emit(tokens, 200, 20_000)));
    await Promise.all(clients.map((client) => client.comeBack(1)));
    for (const client of clients) client.current?.response.pause();
    await redis.kill();
    emitted.push(...(await upstream.emit(tokens, 5)));
    await redis.restart();
    for (const client of clients) client.current?.response.resume();
    await Promise.all(clients.map((client) => catchUp(client, emitted)));
    expect(clients.reduce((sum, client) => sum + lostUnannounced(client, emitted), 0)).toBe(0);
  });
});
