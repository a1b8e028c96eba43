import { describe, expect, test } from 'vitest';
import type { ProxyTimeouts } from '@/lib/proxy/call';
import { Credentials } from '@/lib/proxy/credentials';
import { RedisLogStore } from '@/lib/proxy/redis/redis-log-store';
import { ROUTE_DEFAULTS } from '@/lib/proxy/route';
import { initialize, openStream, postStream, type RawStream, resume, rpc } from '@/tests/proxy/raw-client';
import { redisOfFile } from '@/tests/proxy/redis-of-file';
import { frame, openSse, resultFor, type SeenRequest, scriptedUpstream, withSession } from '@/tests/proxy/scripted-upstream';
import { type RouteSpec, startProxy, until } from '@/tests/proxy/start-proxy';

/** What a log says is said of the instant in which a client is attached, whatever came while the stream was claimed. */
const { redis, cleanups } = redisOfFile();

/** Redis where each claim of a stream waits for as long as a test says: by then its cursor is judged. */
class WaitingStore extends RedisLogStore {
  claims = 0;
  mayClaim: Promise<void> = Promise.resolve();

  override async claim(...args: Parameters<RedisLogStore['claim']>): ReturnType<RedisLogStore['claim']> {
    this.claims++;
    await this.mayClaim;
    return super.claim(...args);
  }
}

let names = 0;
/** A proxy with its log in Redis, and the standalone stream and calls of one session that a test writes by hand. */
async function setUp(spec: Partial<RouteSpec> = {}, options: { memoryBytes?: number; timeouts?: Partial<ProxyTimeouts> } = {}) {
  const calls: SeenRequest[] = [];
  const gets: SeenRequest[] = [];
  const resumes: SeenRequest[] = [];
  const upstream = await scriptedUpstream(
    withSession(`S-${Math.random()}`, (request) => {
      const isResume = request.headers['last-event-id'] !== undefined;
      (isResume ? resumes : request.method === 'POST' ? calls : gets).push(request);
      openSse(request.res);
    }),
  );
  cleanups.push(upstream.stop);
  const node = `attaching-${++names}`;
  const store = new WaitingStore({
    url: redis.url,
    node,
    clock: Date.now,
    retention: spec.buffer ?? ROUTE_DEFAULTS.buffer,
    onError: () => undefined,
    ...(options.memoryBytes === undefined ? {} : { memoryBytes: options.memoryBytes }),
  });
  const route = { name: node, upstream: upstream.url, mode: 'enforce', replay: 'proxy', ...spec } as const;
  const running = await startProxy(route, { store, node, timeouts: options.timeouts ?? {} });
  cleanups.push(running.stop);
  await store.ready();
  const url = running.url();
  const session = await initialize(url);
  const key = new Credentials('test secret').sessionKey(node, session['mcp-session-id'] ?? '');
  return { upstream, running, store, url, session, key, calls, gets, resumes };
}

const ids = (stream: RawStream) => stream.events.map(({ id }) => id);
const numbers = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, i) => String(first + i));
const frames = (first: number, last: number) =>
  numbers(first, last)
    .map((id) => frame(id))
    .join('');

async function reasonOf(stream: RawStream): Promise<string> {
  if (stream.status === 200) return 'served';
  await until(stream.isEnded);
  const { data } = JSON.parse(stream.bytes().toString()).error;
  return data.reason ?? data.type;
}

describe('a client that comes back while its old connection stands', () => {
  type Set = Awaited<ReturnType<typeof setUp>> & { readonly old: RawStream };

  /** Comes back with the cursor 25 of 30; what happens before the stream is claimed happens after that was judged. */
  async function comeBack(meanwhile: (set: Set) => Promise<unknown>) {
    const set = await setUp({ buffer: { ...ROUTE_DEFAULTS.buffer, events: 20 } });
    const old = await openStream(set.url, { headers: set.session });
    set.gets[0]?.res.write(frames(1, 30));
    await until(() => old.events.length === 30);
    let claim = (): void => undefined;
    set.store.mayClaim = new Promise((resolve) => {
      claim = resolve;
    });
    const { claims } = set.store;
    const coming = resume(set.url, set.session, '25');
    await until(() => set.store.claims > claims);
    await meanwhile({ ...set, old });
    old.close();
    claim();
    const back = await coming;
    return { ...set, back, told: await reasonOf(back) };
  }

  test('is told that its cursor fell below the floor meanwhile', async () => {
    const { back, told, gets } = await comeBack(({ gets: [get], old }) => {
      get?.res.write(frames(31, 80));
      return until(() => old.events.length === 80);
    });
    gets[0]?.res.write(frames(81, 82));
    expect([told, ids(back)]).toEqual(['below_floor', []]);
  });

  test('is given what came meanwhile, where all of it is retained', async () => {
    const { back, told, gets } = await comeBack(({ gets: [get], old }) => {
      get?.res.write(frames(31, 40));
      return until(() => old.events.length === 40);
    });
    gets[0]?.res.write(frames(41, 42));
    await until(() => back.events.length >= 17);
    expect([told, back.headers['tidemark-head'], ids(back)]).toEqual(['served', '40', numbers(26, 42)]);
  });

  test('is told that a generation began meanwhile', async () => {
    const { told, back } = await comeBack(({ gets: [get], old }) => {
      get?.res.write(frame('28', 'other data'));
      return until(() => old.events.length === 31);
    });
    expect([told, ids(back)]).toEqual(['generation_mismatch', []]);
  });

  test('is told that its session was fenced meanwhile', async () => {
    const { told, back } = await comeBack(({ store, key }) => store.change(key, { kind: 'fence' }));
    expect([told, ids(back)]).toEqual(['session_gone', []]);
  });
});

describe('a client that comes back to a busy stream', () => {
  test.each([
    { ids: 'ids of its own', frameOf: (n: number) => frame(String(n)) },
    { ids: 'no ids', frameOf: (n: number) => `data: {"jsonrpc":"2.0","method":"notifications/progress","params":{"n":"${n}"}}\n\n` },
  ])('is served by the proxy each time and misses nothing: a server with $ids', async ({ frameOf }) => {
    const { url, session, gets, resumes } = await setUp();
    let n = 0;
    const writing = setInterval(() => gets[0]?.res.write(frameOf(++n)), 2);
    cleanups.push(async () => clearInterval(writing));
    let stream = await openStream(url, { headers: session });
    const read: string[] = [];
    const told: string[] = [];
    for (let round = 0; round < 40 && (told.at(-1) ?? 'served') === 'served'; round++) {
      await until(() => stream.events.length >= 3);
      stream.close();
      const { events } = stream;
      read.push(...events.map(({ data }) => JSON.parse(data).params.n));
      stream = await resume(url, session, events.at(-1)?.id ?? '');
      told.push(await reasonOf(stream));
    }
    stream.close();
    expect([...new Set(told)]).toEqual(['served']);
    expect(read).toEqual(numbers(1, read.length));
    expect(resumes).toEqual([]);
  });

  test('is served from where it is, without a cursor, and nothing is called a gap', async () => {
    const { url, session, gets, resumes } = await setUp();
    let n = 0;
    const writing = setInterval(() => gets[0]?.res.write(frame(String(++n))), 2);
    cleanups.push(async () => clearInterval(writing));
    const first = await openStream(url, { headers: session });
    await until(() => first.events.length >= 3);
    first.close();
    const cursor = Number(first.events.at(-1)?.id);
    for (let round = 0; round < 20; round++) {
      const stream = await openStream(url, { headers: session });
      await until(() => stream.events.length >= 3);
      stream.close();
    }
    expect(gets.length).toBe(1);
    const back = await resume(url, session, String(cursor));
    await until(() => back.isEnded() || ids(back).includes(String(n)));
    expect(ids(back)).toEqual(numbers(cursor + 1, Number(ids(back).at(-1))));
    expect(resumes).toEqual([]);
    back.close();
  });
});

describe('a resume that the upstream answers while copies of the log come and go', () => {
  /** This replica holds no copy for longer than it looks at it. */
  const FLEETING = { memoryBytes: 1 };

  test('knows what was logged on other streams while the upstream thought', async () => {
    const { upstream, url, session, gets, calls, resumes } = await setUp({ replay: 'upstream' }, FLEETING);
    const stream = await openStream(url, { headers: session });
    gets[0]?.res.write(frame('g1') + frame('g2'));
    await until(() => stream.events.length === 2);
    stream.close();
    const { answer } = upstream;
    upstream.answer = (request) => (request.headers['last-event-id'] === undefined ? answer(request) : void resumes.push(request));
    const coming = resume(url, session, 'g1');
    await until(() => resumes.length === 1);
    const call = await postStream(url, session, rpc(7, 'tools/call'));
    calls[0]?.res.write(frame('x1'));
    await until(() => call.events.length === 1);
    if (resumes[0] !== undefined) openSse(resumes[0].res).write(frame('g2') + frame('x1'));
    const back = await coming;
    await until(() => back.isEnded() || back.events.length > 1);
    expect(ids(back)).toEqual(['g2']);
    call.close();
  });

  test.each(['upstream', 'proxy'] as const)(
    'is not whole without what was logged of its own stream meanwhile: replay %s',
    async (replay) => {
      const { upstream, url, session, store, key, calls, resumes } = await setUp({ replay }, FLEETING);
      const call = await postStream(url, session, rpc(7, 'tools/call'));
      calls[0]?.res.write(frame('p1') + frame('p2'));
      await until(() => call.events.length === 2);
      // The connection to the upstream is lost, and the process is not: nobody refuses the knock.
      calls[0]?.res.destroy();
      await until(call.isCut);
      const { answer } = upstream;
      upstream.answer = (request) => (request.headers['last-event-id'] === undefined ? answer(request) : void resumes.push(request));
      const coming = resume(url, session, 'p1');
      const [asked] = await until(() => resumes.length === 1 && resumes);
      const name = (await store.find(key))?.listStreams()[0]?.name ?? '';
      const late = { id: 'p3', fingerprint: 3, bytes: 1, frame: Buffer.from('x'), isAnswer: false, isOwnId: false, at: Date.now() };
      await store.append(key, name, '7', [late]);
      const rest = replay === 'upstream' ? frame('p2') : '';
      expect(asked?.headers['last-event-id']).toBe(replay === 'upstream' ? 'p1' : 'p2');
      if (asked !== undefined) openSse(asked.res).write(rest);
      asked?.res.end(frame('p4', resultFor(7)));
      const back = await coming;
      await until(back.isEnded);
      // What was logged was owed, and the upstream left it out.
      expect(ids(back).filter((id) => id === 'p4')).toEqual([]);
    },
  );

  test('knows what was logged on other streams since, though its copy was replaced', async () => {
    const { url, session, store, gets, calls, resumes } = await setUp({ replay: 'upstream' }, { memoryBytes: 20_000 });
    const stream = await openStream(url, { headers: session });
    gets[0]?.res.write(frame('g1'));
    await until(() => stream.events.length === 1);
    stream.close();
    const back = await resume(url, session, 'g1');
    resumes[0]?.res.write(frame('g2'));
    await until(() => back.events.length === 1);
    // Another session takes all the memory there is, and gives it back.
    const retention = ROUTE_DEFAULTS.buffer;
    await store.begin('other', { principal: 'p', isHeardFromStart: true, retention, incarnation: 1, instance: null });
    const large = Buffer.alloc(30_000);
    const event = { id: 'o1', fingerprint: 1, bytes: large.length, frame: large, isAnswer: false, isOwnId: false, at: Date.now() };
    await store.append('other', 'get', null, [event]);
    const call = await postStream(url, session, rpc(7, 'tools/call'));
    calls[0]?.res.write(frame('x1'));
    await until(() => call.events.length === 1);
    resumes[0]?.res.write(frame('x1') + frame('g3'));
    await until(() => back.isEnded() || back.events.length > 1);
    expect(ids(back)).toEqual(['g2']);
    call.close();
  });

  test('asks a silent upstream again from what its client has by then: nothing comes twice', async () => {
    const { upstream, url, session, calls, resumes } = await setUp(
      { replay: 'upstream' },
      { ...FLEETING, timeouts: { resumeAgainMs: 100 } },
    );
    const call = await postStream(url, session, rpc(7, 'tools/call'));
    calls[0]?.res.write(frame('p1') + frame('p2'));
    await until(() => call.events.length === 2);
    call.close();
    const { answer } = upstream;
    upstream.answer = (request) => {
      const cursor = Number(request.headers['last-event-id']?.slice(1));
      if (Number.isNaN(cursor)) return answer(request);
      resumes.push(request);
      openSse(request.res);
      if (cursor >= 4) request.res.end(frame('p5', resultFor(7)));
      else request.res.write([2, 3, 4].flatMap((n) => (n > cursor ? [frame(`p${n}`)] : [])).join(''));
    };
    const back = await resume(url, session, 'p1');
    await until(() => back.isEnded() || back.isCut() || resumes.length > 4);
    expect(ids(back)).toEqual(['p2', 'p3', 'p4', 'p5']);
    expect(resumes.map(({ headers }) => headers['last-event-id'])).toEqual(['p1', 'p4']);
  });
});
