import { afterEach, expect, test } from 'vitest';
import { EVENT_ID_BYTES_MAX } from '@/lib/sse/block-scanner';
import { KeepingUpstream } from '@/tests/proxy/keeping-upstream';
import { fetchRaw, initialize, openStream, post, postStream, type RawStream, resume, rpc } from '@/tests/proxy/raw-client';
import { frame, openSse, resultFor, type SeenRequest, scriptedUpstream } from '@/tests/proxy/scripted-upstream';
import { type RouteSpec, startProxy, until } from '@/tests/proxy/start-proxy';

/** Every fault ends in a count of events that a client missed without being told; it is zero. */
const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function setUp(spec: Partial<RouteSpec> = {}) {
  const keeping = new KeepingUpstream();
  const upstream = await scriptedUpstream(keeping.answer);
  cleanups.push(upstream.stop);
  const running = await startProxy({ upstream: upstream.url, mode: 'enforce', ...spec });
  cleanups.push(running.stop);
  return { keeping, upstream, running, url: running.url() };
}

const idsOf = (streams: readonly RawStream[]) => streams.flatMap((stream) => stream.events.map((event) => event.id));

test.each(['upstream', 'proxy'] as const)('a client cut again and again has every event once, in order: replay %s', async (replay) => {
  const { keeping, url } = await setUp({ replay });
  const session = await initialize(url);
  const token = session['mcp-session-id'] ?? '';
  const streams: RawStream[] = [await openStream(url, { headers: session })];
  for (let i = 0; i < 20; i++) {
    for (let n = 0; n < 5; n++) keeping.emit(token);
    const stream = streams.at(-1);
    await until(() => (stream?.events.length ?? 0) >= 1 + (i % 5));
    stream?.close();
    for (let n = 0; n < 3; n++) keeping.emit(token);
    streams.push(
      await until(async () => {
        const next = await resume(url, session, idsOf(streams).at(-1) ?? '');
        if (next.status === 200) return next;
        next.close();
        return null;
      }),
    );
  }
  await until(() => idsOf(streams).at(-1) === `${token}_160`);
  expect(idsOf(streams)).toEqual(Array.from({ length: 160 }, (_, i) => `${token}_${i + 1}`));
  streams.at(-1)?.close();
});

test('an upstream killed in mid-stream, whose sessions died with it: every client is told', async () => {
  const { keeping, upstream, url } = await setUp();
  const session = await initialize(url);
  const stream = await openStream(url, { headers: session });
  keeping.emit(session['mcp-session-id'] ?? '');
  await until(() => stream.events.length === 1);
  await upstream.kill();
  await until(stream.isCut);
  keeping.sessions.clear();
  await upstream.restart();
  const answer = await fetchRaw(url, { headers: { ...session, 'last-event-id': idsOf([stream])[0] ?? '' } });
  expect([answer.status, JSON.parse(answer.body).error.data.reason]).toEqual([409, 'generation_mismatch']);
  expect((await post(url, session, rpc(1, 'tools/list'))).status).toBe(404);
});

test('one stream that is cut while the others stand says nothing of the process: its client resumes', async () => {
  const { keeping, url } = await setUp();
  const clients = await Promise.all(
    Array.from({ length: 3 }, async () => {
      const session = await initialize(url);
      const stream = await openStream(url, { headers: session });
      keeping.emit(session['mcp-session-id'] ?? '');
      await until(() => stream.events.length === 1);
      return { session, stream };
    }),
  );
  const [cut] = clients;
  keeping.sessions.get(cut?.session['mcp-session-id'] ?? '')?.res?.destroy();
  await until(() => cut?.stream.isCut());
  keeping.emit(cut?.session['mcp-session-id'] ?? '');
  const back = await resume(url, cut?.session ?? {}, idsOf(cut === undefined ? [] : [cut.stream])[0] ?? '');
  await until(() => back.events.length === 1);
  for (const { stream } of clients) stream.close();
  back.close();
});

test('waves of clients after a restart of the upstream: each is refused by name, then fenced, and the route stays enforced', async () => {
  const { keeping, upstream, url, running } = await setUp();
  const sessions = await Promise.all(Array.from({ length: 200 }, () => initialize(url)));
  const cursors: string[] = [];
  for (const session of sessions) {
    const stream = await openStream(url, { headers: session });
    keeping.emit(session['mcp-session-id'] ?? '');
    await until(() => stream.events.length === 1);
    cursors.push(idsOf([stream])[0] ?? '');
    stream.close();
  }
  await upstream.kill();
  expect((await post(url, sessions[0] ?? {}, rpc(1, 'tools/list'))).status).toBe(502);
  await upstream.restart();
  // The sessions were restored from a copy: the server would answer 200 to each of them.
  await initialize(url);
  const statuses: number[] = [];
  for (let wave = 0; wave < 10; wave++) {
    const answers = await Promise.all(
      sessions.map((session, i) => fetchRaw(url, { headers: { ...session, 'last-event-id': cursors[i] ?? '' } })),
    );
    statuses.push(...answers.map((answer) => answer.status));
  }
  expect(statuses.slice(0, 200).every((status) => status === 409)).toBe(true);
  expect(statuses.slice(200).every((status) => status === 404)).toBe(true);
  expect(running.proxy.routes()[0]?.mode).toBe('enforce');
});

test('events of 10 MB pass whole; one that is larger than the buffer is a hole, which is said', async () => {
  const { keeping, url } = await setUp({ replay: 'proxy', buffer: { events: 100, bytes: 4 * 1024 * 1024, ttlMs: 60_000 } });
  const session = await initialize(url);
  const token = session['mcp-session-id'] ?? '';
  const stream = await openStream(url, { headers: session });
  const big = JSON.stringify('x'.repeat(10 * 1024 * 1024));
  keeping.emit(token);
  keeping.emit(token, big);
  keeping.emit(token);
  await until(() => stream.events.length === 3);
  expect(stream.events[1]?.data).toBe(big);
  stream.close();
  const refused = await fetchRaw(url, { headers: { ...session, 'last-event-id': `${token}_1` } });
  expect([refused.status, ['hole', 'below_floor']]).toEqual([409, expect.arrayContaining([JSON.parse(refused.body).error.data.reason])]);
  const served = await resume(url, session, `${token}_2`);
  await until(() => served.events.length === 1);
  expect(idsOf([served])).toEqual([`${token}_3`]);
  served.close();
});

test.each([
  ['a quote and a backslash', '"\\', true],
  ['header syntax', 'a: b; c=d, e', true],
  ['a path and percents', '../..//%00%0d%0a', true],
  ['an emoji', '\u{1f600}', false],
  ['over the bound', 'x'.repeat(EVENT_ID_BYTES_MAX + 1), false],
  ['a cursor that is too long to be one', 'y'.repeat(2000), false],
])('ids with hostile bytes: %s', async (_what, id, isCursor) => {
  const upstream = await scriptedUpstream(({ res, body, method }) => {
    if (method === 'POST' && body.includes('initialize'))
      res.writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': 'S1' }).end('{}');
    else openSse(res).write(frame(id) + frame('after'));
  });
  cleanups.push(upstream.stop);
  const running = await startProxy({ upstream: upstream.url, mode: 'enforce', replay: 'proxy' });
  cleanups.push(running.stop);
  const session = await initialize(running.url());
  const stream = await openStream(running.url(), { headers: session });
  await until(() => stream.events.length === 2);
  expect(stream.events[0]?.id).toBe(id);
  stream.close();
  const answer = await openStream(running.url(), { headers: { ...session, 'last-event-id': Buffer.from(id).toString('latin1') } }).catch(
    () => null,
  );
  if (isCursor) {
    await until(() => answer?.events.length === 1);
    expect(idsOf(answer === null ? [] : [answer])).toEqual(['after']);
  } else expect([400, 431, undefined]).toContain(answer?.status);
  answer?.close();
});

test('a half-open client: its call is read on, and the same client coming back gets the rest or a clear conflict', async () => {
  let call: SeenRequest | null = null;
  const upstream = await scriptedUpstream((request) => {
    const { res, body, method } = request;
    if (method === 'POST' && body.includes('initialize'))
      res.writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': 'S1' }).end('{}');
    else {
      call = request;
      openSse(res).write(frame('a'));
    }
  });
  cleanups.push(upstream.stop);
  const running = await startProxy({ upstream: upstream.url, mode: 'enforce', replay: 'proxy' });
  cleanups.push(running.stop);
  const url = running.url();
  const session = await initialize(url);
  const halfOpen = await postStream(url, session, rpc(5, 'tools/call'));
  await until(() => halfOpen.events.length === 1);
  halfOpen.response.pause();
  const busy = await fetchRaw(url, { headers: { ...session, 'last-event-id': 'a' } });
  expect([busy.status, JSON.parse(busy.body).error.code]).toEqual([409, -32012]);
  halfOpen.response.socket.resetAndDestroy();
  const back = await until(async () => {
    const stream = await resume(url, session, 'a');
    if (stream.status === 200) return stream;
    stream.close();
    return null;
  });
  (call as SeenRequest | null)?.res.end(frame('b') + frame('c', resultFor(5)));
  await until(back.isEnded);
  expect(idsOf([back])).toEqual(['b', 'c']);
});

test('a slow reader in front of a fast server: the log stays within its bounds, and the reader gets all or is told', async () => {
  const { keeping, url, running } = await setUp({ replay: 'proxy', buffer: { events: 50, bytes: 1024 * 1024, ttlMs: 60_000 } });
  const session = await initialize(url);
  const token = session['mcp-session-id'] ?? '';
  const stream = await openStream(url, { headers: session });
  stream.response.pause();
  const data = JSON.stringify('z'.repeat(10_000));
  for (let i = 0; i < 2000; i++) keeping.emit(token, data);
  stream.close();
  await until(async () => ((await running.proxy.sessions('r', 1))?.[0]?.streams[0]?.head ?? 0) === 2000);
  const [status] = (await running.proxy.sessions('r', 1)) ?? [];
  expect(status?.streams[0]?.retainedBytes).toBeLessThanOrEqual(1024 * 1024);
  const early = await fetchRaw(url, { headers: { ...session, 'last-event-id': `${token}_1900` } });
  expect(early.status).toBe(409);
  const late = await resume(url, session, `${token}_1990`);
  await until(() => late.events.length === 10);
  expect(idsOf([late])).toEqual(Array.from({ length: 10 }, (_, i) => `${token}_${1991 + i}`));
  late.close();
});
