import { afterEach, describe, expect, test } from 'vitest';
import { CountingClient, catchUp, lostUnannounced } from '@/tests/proxy/counting-client';
import { KeepingUpstream } from '@/tests/proxy/keeping-upstream';
import { scriptedUpstream } from '@/tests/proxy/scripted-upstream';
import { type RouteSpec, startProxy, until } from '@/tests/proxy/start-proxy';

/** Hard traffic through clients that are cut and come back. Each fault ends in the count of events lost unannounced: zero. */
const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const MIB = 1024 * 1024;
const buffer = (events: number, bytes: number) => ({ buffer: { events, bytes, ttlMs: 600_000 } });

async function connect(count: number, spec: Partial<RouteSpec>, keeping = new KeepingUpstream()) {
  const upstream = await scriptedUpstream(keeping.answer);
  cleanups.push(upstream.stop);
  const running = await startProxy({ upstream: upstream.url, mode: 'enforce', ...spec });
  cleanups.push(running.stop);
  const clients = await Promise.all(Array.from({ length: count }, () => CountingClient.connect(running.url())));
  cleanups.push(async () => {
    for (const client of clients) client.drop();
  });
  const tokens = clients.map(({ token }) => token);
  return { clients, say: (events: number, bytes = 0) => keeping.say(tokens, events, bytes) };
}

const total = (clients: readonly CountingClient[], emitted: readonly string[]): number =>
  clients.reduce((sum, client) => sum + lostUnannounced(client, emitted), 0);

describe.each(['upstream', 'proxy'] as const)('replay %s', (replay) => {
  test.each([
    ['fits them: nobody is refused', 64 * MIB],
    ['is smaller than one of them', MIB],
  ])('events of 10 MB, clients cut before, amid and after them, a buffer that %s', async (_what, bytes) => {
    const { clients, say } = await connect(4, { replay, ...buffer(1000, bytes) });
    const emitted = say(2);
    await until(() => clients.every((client) => client.read().received.length === 2));
    clients[0]?.drop();
    emitted.push(...say(1, 10 * MIB));
    await until(() => (clients[1]?.current?.bytes().length ?? 0) > MIB);
    clients[1]?.drop();
    await until(() => clients[2]?.read().received.length === 3);
    clients[2]?.drop();
    emitted.push(...say(1, 10 * MIB), ...say(2));
    await Promise.all(clients.map((client) => catchUp(client, emitted)));
    expect(total(clients, emitted)).toBe(0);
    if (bytes > 20 * MIB) expect(clients.map(({ told }) => told)).toEqual([null, null, null, null]);
  });

  test('ids with hostile bytes, clients cut again and again', async () => {
    const spellings = ['"\\ ', 'a: b; c=d, e ', '../..//%00%0d%0a ', '{"a":[1]}', '<!--', "'; drop table x; --"];
    const hostile = new KeepingUpstream('a', (token, n) => `${spellings[n % spellings.length]}${token}/${n}`);
    const { clients, say } = await connect(6, { replay, ...buffer(1000, MIB) }, hostile);
    const emitted = say(spellings.length);
    await Promise.all(clients.map((client) => catchUp(client, emitted)));
    for (let round = 0; round < 8; round++) {
      for (const client of clients) client.drop();
      emitted.push(...say(round % 3));
      await Promise.all(clients.map((client) => client.comeBack()));
      emitted.push(...say(1));
      await Promise.all(clients.map((client) => catchUp(client, emitted)));
    }
    expect(total(clients, emitted)).toBe(0);
    expect(clients.map(({ told }) => told)).toEqual(clients.map(() => null));
  });

  test('a reader that stands still in front of a fast server, and is cut before it read all', async () => {
    const { clients, say } = await connect(2, { replay, ...buffer(200, MIB) });
    const [slow, quick] = clients;
    const emitted = say(1);
    await until(() => clients.every((client) => client.read().received.length === 1));
    slow?.current?.response.pause();
    emitted.push(...say(4_000, 8_000));
    await until(() => quick?.read().received.length === emitted.length);
    slow?.drop();
    await Promise.all(clients.map((client) => catchUp(client, emitted)));
    expect(total(clients, emitted)).toBe(0);
  });
});
