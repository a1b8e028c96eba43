import { expect, test } from 'vitest';
import { RedisLogStore } from '@/lib/proxy/redis/redis-log-store';
import { ROUTE_DEFAULTS } from '@/lib/proxy/route';
import { locateCursor } from '@/lib/session-log/locate-cursor';
import { newEvent, newSession } from '@/tests/proxy/log-entries';
import { fetchRaw, initialize, openStream, type RawStream, resume } from '@/tests/proxy/raw-client';
import { redisOfFile } from '@/tests/proxy/redis-of-file';
import { frame, openSse, type SeenRequest, scriptedUpstream, withSession } from '@/tests/proxy/scripted-upstream';
import { type RunningProxy, startProxy, until } from '@/tests/proxy/start-proxy';

/** Replicas give the same floor, head and verdict, whatever of a log Redis has dropped when they build their copy of it. */
const { redis, cleanups } = redisOfFile();
const KEPT = 8;
const RETENTION = { ...ROUTE_DEFAULTS.buffer, events: KEPT };
/** More changes than Redis keeps of a session with such a retention. */
const MANY = 300;

let names = 0;
function openStore(memoryBytes?: number): { node: string; store: RedisLogStore } {
  const node = `numbering-${++names}`;
  const more = memoryBytes === undefined ? {} : { memoryBytes };
  const store = new RedisLogStore({ url: redis.url, node, clock: Date.now, retention: RETENTION, onError: () => undefined, ...more });
  return { node, store };
}

async function storeOfOwn(memoryBytes?: number): Promise<RedisLogStore> {
  const { store } = openStore(memoryBytes);
  cleanups.push(() => store.close());
  await store.ready();
  return store;
}

async function replica(upstream: string, memoryBytes?: number): Promise<RunningProxy> {
  const { node, store } = openStore(memoryBytes);
  const running = await startProxy({ name: 'r', upstream, mode: 'enforce', replay: 'proxy', buffer: RETENTION }, { store, node });
  cleanups.push(running.stop);
  await store.ready();
  return running;
}

async function appendMany(store: RedisLogStore, key: string, first: number): Promise<void> {
  for (let i = first; i < first + MANY; i++) await store.append(key, 'get', null, [newEvent(`e${i}`)]);
}

async function standing(store: RedisLogStore, key: string) {
  const log = await store.find(key);
  const streams = log?.listStreams().map(({ name, floor, head, reader }) => ({ name, floor, head, reader }));
  return { generation: log?.generation, streams: streams?.sort((a, b) => a.name.localeCompare(b.name)) };
}

test('a copy that is built from what is left counts every stream as the others do, also one of which nothing is left', async () => {
  const one = await storeOfOwn();
  await one.begin('s', newSession(RETENTION));
  for (let i = 0; i < 5; i++) await one.append('s', 'quiet', null, [newEvent(`q${i}`)]);
  await one.change('s', { kind: 'loss', stream: 'quiet', requestId: null });
  await one.change('s', { kind: 'reader', stream: 'quiet', requestId: null, node: 'n', isReading: true });
  await appendMany(one, 's', 1);
  const two = await storeOfOwn();
  const heads = [
    { name: 'get', floor: MANY - KEPT + 1, head: MANY, reader: null },
    { name: 'quiet', head: 6, reader: 'n' },
  ];
  expect((await standing(two, 's')).streams).toMatchObject(heads);
  expect(await standing(one, 's')).toMatchObject({ generation: (await standing(two, 's')).generation, streams: heads });
  await two.append('s', 'quiet', null, [newEvent('q5')]);
  await appendMany(two, 's', MANY + 1);
  for (const store of [one, two, await storeOfOwn()]) {
    const streams = [
      { name: 'get', floor: 2 * MANY - KEPT + 1, head: 2 * MANY },
      { name: 'quiet', head: 7 },
    ];
    expect((await standing(store, 's')).streams).toMatchObject(streams);
  }
});

test('where few large events fill what Redis keeps, a copy counts as the others do as well', async () => {
  const one = await storeOfOwn();
  await one.begin('large', newSession(RETENTION));
  const bytes = RETENTION.bytes / 3;
  for (let i = 1; i <= 40; i++) await one.append('large', 'get', null, [{ ...newEvent(`l${i}`, bytes), frame: Buffer.alloc(bytes, 'x') }]);
  const [whole, rebuilt] = [await standing(one, 'large'), await standing(await storeOfOwn(), 'large')];
  expect(rebuilt).toEqual(whole);
  expect(whole.streams).toMatchObject([{ floor: 38, head: 40 }]);
});

test('a count whose beginning is left nowhere is below the floor at every replica', async () => {
  const one = await storeOfOwn();
  await one.begin('count', newSession(RETENTION));
  await appendMany(one, 'count', 1);
  for (const store of [one, await storeOfOwn()]) {
    const { request, log } = locateCursor(await store.find('count'), 'p', 'e5', null);
    expect([request.cursor, request.generation !== null, log.floor > 1n]).toEqual([0n, true, true]);
  }
});

test('an id that comes again at another replica counts for a copy that was built without the first before that', async () => {
  const one = await storeOfOwn();
  await one.begin('later', newSession(RETENTION));
  await one.append('later', 'post-1', '7', [newEvent('x')]);
  await appendMany(one, 'later', 1);
  const two = await storeOfOwn();
  expect(locateCursor(await two.find('later'), 'p', `e${MANY}`, null).request.generation).not.toBeNull();
  await one.append('later', 'get', null, [newEvent('x')]);
  expect(locateCursor(await two.find('later'), 'p', 'x', null).request).toMatchObject({ lastEventId: 'x', generation: null });
});

/** A server whose standalone stream is written to by hand, and a session with `MANY` events on it. */
async function busySession(memoryBytes?: number) {
  const standalone: SeenRequest[] = [];
  const upstream = await scriptedUpstream(
    withSession(`S-${Math.random()}`, (request) => {
      standalone.push(request);
      openSse(request.res);
    }),
  );
  cleanups.push(upstream.stop);
  const one = await replica(upstream.url);
  const two = await replica(upstream.url, memoryBytes);
  const session = await initialize(one.url());
  const stream = await openStream(one.url(), { headers: session });
  await until(() => standalone.length === 1);
  let sent = 0;
  const send = async (count: number, received: RawStream, has: number) => {
    for (let i = 0; i < count; i++) {
      standalone[0]?.res.write(frame(`e${++sent}`));
      const due = has + i + 1;
      // One at a time: events that come together are one change.
      await until(() => received.events.length >= due || received.isCut() || received.isEnded());
    }
  };
  await send(MANY, stream, 0);
  return { upstream, one, two, session, stream, standalone, send };
}

const told = async (running: RunningProxy, headers: Record<string, string>) => {
  const { status, body } = await fetchRaw(running.url(), { headers });
  return [status, JSON.parse(body).error.data];
};

test('a replica that is restarted after Redis dropped changes says the same floor, head and verdict', async () => {
  const { upstream, one, two, session, stream } = await busySession();
  stream.close();
  cleanups.splice(cleanups.indexOf(two.stop), 1);
  await two.stop();
  const three = await replica(upstream.url);
  for (const cursor of [`e${MANY - KEPT - 4}`, 'e3', 'never']) {
    const headers = { ...session, 'last-event-id': cursor };
    expect(await told(three, headers)).toEqual(await told(one, headers));
  }
  const names = ['resumed-from', 'generation', 'floor', 'head', 'replayed'].map((name) => `tidemark-${name}`);
  const heads: unknown[] = [];
  for (const running of [one, three]) {
    const resumed = await resume(running.url(), session, `e${MANY - 5}`);
    await until(() => resumed.events.length === 5);
    heads.push(names.map((name) => resumed.headers[name]));
    resumed.close();
  }
  expect(heads[1]).toEqual(heads[0]);
  expect(heads[0]).toMatchObject([String(MANY - 5), expect.any(String), String(MANY - KEPT + 1), String(MANY), '5']);
});

test('a resume that is handed to a replica which keeps no copy is cut by none of the changes that Redis drops', async () => {
  const { two, session, stream, send } = await busySession(1);
  stream.close();
  const resumed = await resume(two.url(), session, `e${MANY - 1}`);
  await until(() => resumed.events.length === 1);
  await send(MANY, resumed, 1);
  expect([resumed.isCut(), resumed.isEnded()]).toEqual([false, false]);
  expect(resumed.events.map(({ id }) => id)).toEqual(Array.from({ length: MANY + 1 }, (_, i) => `e${MANY + i}`));
  resumed.close();
});
