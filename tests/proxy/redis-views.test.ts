import { Redis } from 'ioredis';
import { describe, expect, test } from 'vitest';
import { StoreUnavailable } from '@/lib/proxy/log-store';
import { RedisLogStore, type RedisLogStoreOptions } from '@/lib/proxy/redis/redis-log-store';
import { ROUTE_DEFAULTS } from '@/lib/proxy/route';
import { locateCursor } from '@/lib/session-log/locate-cursor';
import { newEvent, newSession } from '@/tests/proxy/log-entries';
import { fetchRaw, initialize, postStream, type RawStream, resume, rpc } from '@/tests/proxy/raw-client';
import { redisOfFile } from '@/tests/proxy/redis-of-file';
import { redisWire } from '@/tests/proxy/redis-wire';
import { frame, openSse, type SeenRequest, scriptedUpstream, withSession } from '@/tests/proxy/scripted-upstream';
import { startProxy, until } from '@/tests/proxy/start-proxy';

const { redis, cleanups } = redisOfFile();

let names = 0;
async function replica(upstream: string, name: string, options: Partial<RedisLogStoreOptions> & { events?: number; bytes?: number } = {}) {
  const node = `view-${++names}`;
  const { events, bytes } = { ...ROUTE_DEFAULTS.buffer, ...options };
  const buffer = { ...ROUTE_DEFAULTS.buffer, events, bytes };
  const store = new RedisLogStore({ url: redis.url, node, clock: Date.now, retention: buffer, onError: () => undefined, ...options });
  const running = await startProxy({ name, upstream, mode: 'enforce', replay: 'proxy', buffer }, { store, node });
  cleanups.push(running.stop);
  await store.ready();
  return { ...running, store };
}

async function callingUpstream() {
  const calls: SeenRequest[] = [];
  const upstream = await scriptedUpstream(
    withSession(`S-${Math.random()}`, (request) => {
      if (request.method === 'POST') calls.push(request);
      openSse(request.res).write(frame('p1') + frame('p2'));
    }),
  );
  cleanups.push(upstream.stop);
  return { upstream, calls };
}

const error = (text: string) => JSON.parse(text).error;
const ids = (stream: RawStream) => stream.events.map((event) => event.id);
const labels = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, i) => `p${first + i}`);

async function sessionKeys(): Promise<string[]> {
  const admin = new Redis(redis.url);
  const found = await admin.keys('tidemark:{*}:meta');
  admin.disconnect();
  return found.map((name) => name.slice('tidemark:{'.length, -'}:meta'.length));
}

/** A new session with an open call of which two events were delivered, and whose client left. */
async function leftCall(url: string) {
  const others = new Set(await sessionKeys());
  const session = await initialize(url);
  const call = await postStream(url, session, rpc(7, 'tools/call'));
  await until(() => call.events.length === 2);
  call.close();
  const key = (await sessionKeys()).find((known) => !others.has(known)) ?? '';
  return { session, key };
}

test('a follower whose copy of the log is built anew from what Redis still has skips nothing', async () => {
  const { upstream, calls } = await callingUpstream();
  const one = await replica(upstream.url, 'trimmed', { events: 1 });
  const two = await replica(upstream.url, 'trimmed', { events: 1, memoryBytes: 1 });
  const { session, key } = await leftCall(one.url());
  let stream = await resume(two.url(), session, 'p1');
  await until(() => stream.events.length === 1);
  const seen: (string | undefined)[] = [];
  for (let i = 3; i <= 268; i++) {
    if (i === 150) {
      // As where the reader lost its connection and opened another: that it reads is no old news.
      const read = (await one.store.find(key))?.listStreams().find(({ reader }) => reader !== null);
      const { name = '', requestId = null, reader } = read ?? {};
      await one.store.change(key, { kind: 'reader', stream: name, requestId, node: reader ?? '', isReading: true });
    }
    calls[0]?.res.write(frame(`p${i}`));
    await until(async () => {
      if (seen.length + stream.events.length >= i - 1) return true;
      if (!stream.isEnded() && !stream.isCut()) return false;
      seen.push(...ids(stream));
      stream = await resume(two.url(), session, seen.at(-1) ?? '');
      return false;
    });
  }
  expect([...seen, ...ids(stream)]).toEqual(labels(2, 268));
  stream.close();
});

test('a client that comes back amid events, to a replica that keeps no copy for long, misses nothing', async () => {
  const { upstream, calls } = await callingUpstream();
  const one = await replica(upstream.url, 'amid', { memoryBytes: 1 });
  const session = await initialize(one.url());
  const call = await postStream(one.url(), session, rpc(7, 'tools/call'));
  await until(() => call.events.length === 2);
  let i = 2;
  const writing = setInterval(() => calls[0]?.res.write(frame(`p${++i}`)), 5);
  cleanups.push(async () => clearInterval(writing));
  const read = ids(call);
  let stream = call;
  for (let round = 0; round < 12; round++) {
    stream.close();
    read.push(
      ...ids(stream)
        .slice(round === 0 ? 2 : 0)
        .filter((id) => id?.startsWith('p')),
    );
    stream = await resume(one.url(), session, read.at(-1) ?? '');
    await until(() => stream.events.length >= 3 || stream.isEnded() || stream.isCut());
  }
  clearInterval(writing);
  stream.close();
  expect(read).toEqual(labels(1, read.length));
});

test('Redis is restarted while a replay is read: each event comes in its place, until all came or the client is told', async () => {
  const { upstream, calls } = await callingUpstream();
  const roomy = { bytes: 64 * 1024 * 1024 };
  const one = await replica(upstream.url, 'restarted', roomy);
  const two = await replica(upstream.url, 'restarted', roomy);
  const { session, key } = await leftCall(one.url());
  const large = (first: number, last: number) => labels(first, last).map((id) => frame(id, JSON.stringify('x'.repeat(100_000))));
  for (const text of large(3, 200)) calls[0]?.res.write(text);
  await until(async () => (await two.store.find(key))?.listStreams().some(({ head }) => head === 200));

  const seen: (string | undefined)[] = ['p1'];
  let stream = await resume(two.url(), session, 'p1');
  await until(() => stream.events.length > 2);
  stream.response.pause();
  await redis.kill();
  // The sockets hold a part of it at most: the replay is under way.
  expect(stream.events.length).toBeLessThan(199);
  for (const text of large(201, 205)) calls[0]?.res.write(text);
  await redis.restart();
  stream.response.resume();
  const told = await until(async () => {
    if (seen.length + stream.events.length === 205) return 'all';
    if (!stream.isEnded() && !stream.isCut()) return null;
    seen.push(...ids(stream));
    stream = await resume((seen.length % 2 === 0 ? one : two).url(), session, seen.at(-1) ?? '');
    if (stream.status === 200) return null;
    await until(stream.isEnded);
    const { data } = error(stream.bytes().toString());
    return stream.status === 409 && data.type !== 'stream_busy' ? data.reason : null;
  });
  seen.push(...ids(stream));
  stream.close();
  expect(seen).toEqual(labels(1, seen.length));
  expect(told).toBe(seen.length === 205 ? 'all' : 'generation_mismatch');
});

/** Redis as it is where it may be read and not written, for as long as the work takes. */
async function withoutWrites(work: () => Promise<void>): Promise<void> {
  const admin = new Redis(redis.url);
  try {
    await admin.call('ACL', 'SETUSER', 'default', '-eval');
    await work();
  } finally {
    await admin.call('ACL', 'SETUSER', 'default', '+eval');
    admin.disconnect();
  }
}

test('Redis that takes no writes while a session is fenced: 503, never a word about the upstream', async () => {
  const { upstream } = await callingUpstream();
  const one = await replica(upstream.url, 'fenced');
  const session = await initialize(one.url());
  const call = await postStream(one.url(), session, rpc(7, 'tools/call'));
  await until(() => call.events.length === 2);
  call.close();
  await initialize(one.url());
  await withoutWrites(async () => {
    const refused = await fetchRaw(one.url(), { headers: { ...session, 'last-event-id': 'p1' } });
    expect([refused.status, error(refused.body).code, refused.headers['retry-after']]).toEqual([503, -32013, '2']);
  });
  const attempt = await until(() => one.records.find(({ type }) => type === 'resume_attempt'));
  expect(attempt).toMatchObject({ verdict: 'failed', status: 503, code: -32013 });
});

test('a follower that is written to faster than its client reads leaves no listener behind', async () => {
  const { upstream, calls } = await callingUpstream();
  const one = await replica(upstream.url, 'drains');
  const two = await replica(upstream.url, 'drains');
  const session = await initialize(one.url());
  const call = await postStream(one.url(), session, rpc(7, 'tools/call'));
  await until(() => call.events.length === 2);
  call.close();
  const follower = await resume(two.url(), session, 'p1');
  const warnings: string[] = [];
  const onWarning = (warning: Error) => warnings.push(warning.name);
  process.on('warning', onWarning);
  cleanups.push(async () => void process.off('warning', onWarning));
  for (let i = 3; i <= 40; i++) {
    calls[0]?.res.write(frame(`p${i}`, JSON.stringify('x'.repeat(70_000))));
    await until(() => follower.events.length === i - 1);
  }
  follower.close();
  await new Promise((resolve) => setImmediate(resolve));
  expect(warnings).toEqual([]);
});

test('a loss that Redis could not be told is told before anything is read or logged again', async () => {
  const { upstream } = await callingUpstream();
  const { store } = await replica(upstream.url, 'losses');
  await store.begin('lossy', newSession());
  await store.append('lossy', 'get', null, [newEvent('a')]);
  await withoutWrites(async () => {
    await expect(store.change('lossy', { kind: 'loss', stream: 'get', requestId: null })).rejects.toThrow(StoreUnavailable);
    await expect(store.find('lossy')).rejects.toThrow(StoreUnavailable);
  });
  await store.append('lossy', 'get', null, [newEvent('b')]);
  const log = await store.find('lossy');
  expect(log?.stream('get')?.facts()).toMatchObject({ head: 3n, holes: [{ first: 2n, last: 2n }] });
});

test('a stream whose claim Redis did not take is free for the next one', async () => {
  const { upstream } = await callingUpstream();
  const { store } = await replica(upstream.url, 'claims');
  await store.begin('claimed', newSession());
  const claim = () => store.claim({ key: 'claimed', stream: 'get' }, 'c1', () => undefined);
  await withoutWrites(async () => {
    await expect(claim()).rejects.toThrow(StoreUnavailable);
  });
  expect(await claim()).not.toBeNull();
});

test('a copy that is built without the ids of an earlier numbering vouches for none that began anew', async () => {
  const { upstream } = await callingUpstream();
  const retention = { ...ROUTE_DEFAULTS.buffer, events: 1 };
  const { store } = await replica(upstream.url, 'anew', { retention });
  await store.begin('anew', { ...newSession(), retention });
  await store.append('anew', 'get', null, [newEvent('1'), { ...newEvent('1'), fingerprint: 2 }]);
  for (let i = 2; i <= 270; i++) await store.append('anew', 'get', null, [newEvent(String(i))]);
  const other = await replica(upstream.url, 'anew', { retention });
  const { request } = locateCursor(await other.store.find('anew'), 'p', '269', null);
  expect(request).toMatchObject({ lastEventId: '269', generation: null });
});

test('a copy that is built without the first of two events of one id, on another stream, vouches for it no more', async () => {
  const { upstream } = await callingUpstream();
  const retention = { ...ROUTE_DEFAULTS.buffer, events: 1 };
  const { store } = await replica(upstream.url, 'twice', { retention });
  await store.begin('twice', { ...newSession(), retention });
  await store.append('twice', 'post-1', '7', [newEvent('x')]);
  for (let i = 1; i <= 270; i++) await store.append('twice', 'get', null, [newEvent(`e${i}`)]);
  const before = await replica(upstream.url, 'twice', { retention });
  expect(locateCursor(await before.store.find('twice'), 'p', 'e270', null).request.generation).not.toBeNull();
  await store.append('twice', 'get', null, [newEvent('x')]);
  const { store: rebuilt } = await replica(upstream.url, 'twice', { retention });
  expect(locateCursor(await rebuilt.find('twice'), 'p', 'x', null).request).toMatchObject({ lastEventId: 'x', generation: null });
});

describe('an id that came before, of which Redis is told in one step with the events', () => {
  const retention = { ...ROUTE_DEFAULTS.buffer, events: 1 };
  /** A session whose log holds `x` first, far enough back for Redis to have dropped it. */
  const begin = async (key: string, url: string) => {
    const { upstream } = await callingUpstream();
    const { store } = await replica(upstream.url, key, { retention, url });
    await store.begin(key, { ...newSession(), retention });
    await store.append(key, 'post-1', '7', [newEvent('x')]);
    for (let i = 1; i <= 270; i++) await store.append(key, 'get', null, [newEvent(`e${i}`)]);
    const rebuilt = async () => (await replica(upstream.url, key, { retention })).store.find(key);
    return { upstream, store, rebuilt };
  };

  test('counts for a copy that is built anew, though the writer is cut off before it hears an answer', async () => {
    const wire = await redisWire(redis.url);
    cleanups.push(wire.stop);
    const { store, rebuilt } = await begin('cut-again', wire.url);
    wire.cutAfter('"id":"x"');
    await expect(store.append('cut-again', 'get', null, [newEvent('x')])).rejects.toThrow(StoreUnavailable);
    const log = await rebuilt();
    expect(log?.stream('get')?.find('x')).not.toBeNull();
    expect(locateCursor(log, 'p', 'x', null).request).toMatchObject({ lastEventId: 'x', generation: null });
  });

  test('counts where another replica wrote the first of them, which the writer had not seen yet', async () => {
    const wire = await redisWire(redis.url);
    cleanups.push(wire.stop);
    const { upstream, store, rebuilt } = await begin('unseen', redis.url);
    const { store: behind } = await replica(upstream.url, 'unseen', { retention, url: wire.url });
    await behind.find('unseen');
    await store.append('unseen', 'post-2', '8', [newEvent('y')]);
    wire.cutAfter('"id":"y"');
    await expect(behind.append('unseen', 'get', null, [newEvent('y')])).rejects.toThrow(StoreUnavailable);
    for (let i = 1; i <= 270; i++) await store.append('unseen', 'get', null, [newEvent(`f${i}`)]);
    expect(locateCursor(await rebuilt(), 'p', 'f270', null).request.generation).toBeNull();
  });

  test('is none where replicas write different ids at once', async () => {
    const { upstream, store, rebuilt } = await begin('apart', redis.url);
    const { store: behind } = await replica(upstream.url, 'apart', { retention });
    await behind.find('apart');
    await store.append('apart', 'post-2', '8', [newEvent('y')]);
    await behind.append('apart', 'get', null, [newEvent('z')]);
    expect(locateCursor(await rebuilt(), 'p', 'z', null).request.generation).not.toBeNull();
  });
});

test('events that cannot be logged go on only once the lease is over in Redis itself, however late it was granted', async () => {
  const { upstream } = await callingUpstream();
  const wire = await redisWire(redis.url, 700);
  cleanups.push(wire.stop);
  const { store } = await replica(upstream.url, 'late', { url: wire.url, node: 'late-node' });
  await store.begin('late', newSession());
  await until(() => store.isReaderAlive('late-node'));
  wire.cut();
  await expect(store.append('late', 'get', null, [newEvent('a')])).rejects.toThrow(StoreUnavailable);
  const admin = new Redis(redis.url);
  expect(await admin.exists('tidemark:node:late-node')).toBe(0);
  admin.disconnect();
});
