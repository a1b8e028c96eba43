import { afterEach, expect, test } from 'vitest';
import type { ProxyOptions } from '@/lib/proxy/create-proxy';
import { fetchRaw, initialize, openStream, post, postStream, type RawStream, resume, rpc } from '@/tests/proxy/raw-client';
import {
  frame,
  openSse,
  resultFor,
  type ScriptedUpstream,
  type SeenRequest,
  scriptedUpstream,
  withSession,
} from '@/tests/proxy/scripted-upstream';
import { type RouteSpec, type RunningProxy, startProxy, until } from '@/tests/proxy/start-proxy';

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function setUp(
  answer: (request: SeenRequest) => void,
  spec: Partial<RouteSpec> = {},
  options: Partial<ProxyOptions> = {},
): Promise<{ upstream: ScriptedUpstream; running: RunningProxy; url: string }> {
  const upstream = await scriptedUpstream(withSession('S1', answer));
  cleanups.push(upstream.stop);
  const running = await startProxy({ upstream: upstream.url, mode: 'enforce', ...spec }, options);
  cleanups.push(running.stop);
  return { upstream, running, url: running.url() };
}

const ids = (stream: RawStream) => stream.events.map((event) => event.id);
const error = (text: string) => JSON.parse(text).error;
const lastAttempt = async (running: RunningProxy) => {
  await running.proxy.routes();
  return until(() => running.records.filter((record) => record.type === 'resume_attempt').at(-1));
};

/** A standalone stream that has sent e1 to e4, whose client is gone. */
async function droppedGet(spec: Partial<RouteSpec> = {}, onResume: (request: SeenRequest) => void = () => undefined) {
  const set = await setUp((request) => {
    if (request.headers['last-event-id'] !== undefined) onResume(request);
    else openSse(request.res).write(['e1', 'e2', 'e3', 'e4'].map((id) => frame(id)).join(''));
  }, spec);
  const session = await initialize(set.url);
  const stream = await openStream(set.url, { headers: session });
  await until(() => stream.events.length === 4);
  stream.close();
  return { ...set, session };
}

test('upstream replay: an accepted cursor goes upstream and the answer says what it continues from', async () => {
  const { url, session, running, upstream } = await droppedGet({}, ({ res }) =>
    openSse(res).write(frame('e3') + frame('e4') + frame('e5')),
  );
  const resumed = await resume(url, session, 'e2');
  await until(() => resumed.events.length === 3);
  expect(ids(resumed)).toEqual(['e3', 'e4', 'e5']);
  expect(resumed.headers).toMatchObject({
    'tidemark-resumed-from': '2',
    'tidemark-floor': '1',
    'tidemark-head': '4',
    'tidemark-replayed': '2',
  });
  expect(upstream.seen.at(-1)?.headers['last-event-id']).toBe('e2');
  expect(await lastAttempt(running)).toMatchObject({
    verdict: 'resumed',
    cursor: 2,
    floor: 1,
    head: 4,
    replayed: { count: 2, first: 'e3', last: 'e4' },
  });
  resumed.close();
});

test.each<[string, string, string[], string | null]>([
  ['leaves out an event', frame('e4'), [], 'hole'],
  ['leaves out a later event', frame('e3') + frame('e5'), ['e3'], null],
  ['repeats the cursor', frame('e2') + frame('e3'), [], 'id_reused'],
  ['sends other data under a known id', frame('e3', '{"other":1}'), [], 'id_reused'],
  ['ends before it began', '', [], 'hole'],
])('upstream replay that %s ends before the client sees it, in words where nothing was sent yet', async (_case, answer, seen, reason) => {
  const { url, session, running } = await droppedGet({}, ({ res }) => {
    if (answer === '') openSse(res).end();
    else openSse(res).write(answer);
  });
  const resumed = await resume(url, session, 'e2');
  await until(resumed.isEnded);
  expect([resumed.status, ids(resumed)]).toEqual([reason === null ? 200 : 409, seen]);
  if (reason !== null)
    expect(error(resumed.bytes().toString())).toMatchObject({ code: -32010, data: { reason, next_step: 'reinitialize' } });
  expect(await lastAttempt(running)).toMatchObject({ verdict: 'refused', code: -32010 });
  const again = await fetchRaw(url, { headers: { ...session, 'last-event-id': 'e2' } });
  expect([again.status, error(again.body).data.reason]).toEqual([409, 'hole']);
});

test('two standalone streams that a server holds side by side do not mix, whichever replays', async () => {
  for (const replay of ['upstream', 'proxy'] as const) {
    const streams: SeenRequest[] = [];
    const { url } = await setUp(
      (request) => {
        if (request.headers['last-event-id'] === undefined) streams.push(request);
        openSse(request.res);
      },
      { replay },
    );
    const session = await initialize(url);
    const first = await openStream(url, { headers: session });
    const second = await openStream(url, { headers: session });
    for (const [i, id] of ['a1', 'b2', 'a3', 'b4'].entries()) streams[i % 2]?.res.write(frame(id));
    await until(() => first.events.length === 2 && second.events.length === 2);
    second.close();
    first.close();
    const answer = await resume(url, session, 'a3');
    expect(answer.headers).toMatchObject({ 'tidemark-resumed-from': '2', 'tidemark-head': '2', 'tidemark-replayed': '0' });
    answer.close();
  }
});

test.each(['upstream', 'proxy'] as const)(
  'what a server sends while nobody reads its standalone stream is a hole once a fresh GET goes on: replay %s',
  async (replay) => {
    const gets: SeenRequest[] = [];
    const { url } = await setUp(
      (request) => {
        openSse(request.res);
        if (request.headers['last-event-id'] === undefined) gets.push(request);
        else request.res.write(frame('e8'));
      },
      { replay },
    );
    const session = await initialize(url);
    const first = await openStream(url, { headers: session });
    gets[0]?.res.write(frame('e4') + frame('e5'));
    await until(() => first.events.length === 2);
    gets[0]?.res.destroy();
    await until(first.isCut);
    // The server numbers e6 and e7 now and keeps neither.
    const second = await openStream(url, { headers: session });
    gets[1]?.res.write(frame('e8'));
    await until(() => second.events.length === 1);
    second.close();
    for (const cursor of ['e4', 'e5']) {
      const answer = await fetchRaw(url, { headers: { ...session, 'last-event-id': cursor } });
      expect([cursor, answer.status, error(answer.body).data.reason]).toEqual([cursor, 409, 'hole']);
    }
    const resumed = await resume(url, session, 'e8');
    expect(resumed.headers['tidemark-replayed']).toBe('0');
    resumed.close();
  },
);

test('a replay that stays silent is ended, not left open', async () => {
  const upstream = await scriptedUpstream(
    withSession('S1', (request) => {
      const stream = openSse(request.res);
      if (request.headers['last-event-id'] === undefined) stream.write(frame('e1') + frame('e2'));
    }),
  );
  cleanups.push(upstream.stop);
  const running = await startProxy({ upstream: upstream.url, mode: 'enforce' }, { timeouts: { replaySilenceMs: 50 } });
  cleanups.push(running.stop);
  const session = await initialize(running.url());
  const first = await openStream(running.url(), { headers: session });
  await until(() => first.events.length === 2);
  first.close();
  const resumed = await resume(running.url(), session, 'e1');
  await until(resumed.isEnded);
  expect(resumed.events).toEqual([]);
});

test('cursors are refused as the contract says', async () => {
  const { url, session } = await droppedGet();
  const refuse = async (id: string) => {
    const answer = await fetchRaw(url, { headers: { ...session, 'last-event-id': id } });
    return [
      answer.status,
      error(answer.body).code,
      error(answer.body).data.reason,
      answer.headers['cache-control'],
      answer.headers['content-type'],
    ];
  };
  expect(await refuse('never')).toEqual([409, -32010, 'unknown_cursor', 'no-store', 'application/json']);
  expect(await refuse('x'.repeat(1025))).toEqual([400, -32011, 'malformed_cursor', 'no-store', 'application/json']);
  expect(await refuse('\u00e9')).toEqual([400, -32011, 'malformed_cursor', 'no-store', 'application/json']);
});

test('an evicted cursor is refused with the numbers of its own stream', async () => {
  const { url, session } = await droppedGet({ buffer: { events: 2, bytes: 1_000_000, ttlMs: 60_000 } });
  const answer = await fetchRaw(url, { headers: { ...session, 'last-event-id': 'e1' } });
  expect(error(answer.body)).toMatchObject({
    code: -32010,
    data: {
      type: 'resume_unavailable',
      reason: 'below_floor',
      cursor: 1,
      floor: 3,
      head: 4,
      earliest_retained_id: 'e3',
      missing: 1,
      next_step: 'reinitialize',
    },
  });
  expect(JSON.parse(answer.body)).toMatchObject({ jsonrpc: '2.0', id: null });
});

/** A call whose answer stream has sent p1 and p2 when its client drops. */
async function droppedCall(spec: Partial<RouteSpec> = {}, onResume: (request: SeenRequest) => void = () => undefined) {
  let call: SeenRequest | null = null;
  const set = await setUp((request) => {
    if (request.method === 'POST') {
      call = request;
      openSse(request.res).write(`id: p1\ndata: \n\n${frame('p2')}`);
    } else if (request.headers['last-event-id'] !== undefined) onResume(request);
    else openSse(request.res);
  }, spec);
  const session = await initialize(set.url);
  const stream = await postStream(set.url, session, rpc(7, 'tools/call', { name: 't' }));
  await until(() => stream.events.length === 2);
  stream.close();
  return { ...set, session, call: () => call as SeenRequest | null };
}

test('style terminal_error settles the pending call with its own id, and the terminal id gets 405', async () => {
  const { url, session } = await droppedCall({
    refusal: 'terminal_error',
    buffer: { events: 1, bytes: 1_000_000, ttlMs: 60_000 },
    floor: 'retained',
  });
  const answer = await fetchRaw(url, { headers: { ...session, 'last-event-id': 'p1' } });
  expect([answer.status, answer.headers['content-type']]).toEqual([200, 'text/event-stream']);
  const message = JSON.parse(/data: (.*)\n/.exec(answer.body)?.[1] ?? '');
  expect(message).toMatchObject({
    jsonrpc: '2.0',
    id: 7,
    error: { code: -32010, data: { type: 'resume_unavailable', reason: 'below_floor', floor: 2, head: 2 } },
  });
  const terminal = /id: (.*)\n/.exec(answer.body)?.[1] ?? '';
  const after = await fetchRaw(url, { headers: { ...session, 'last-event-id': terminal } });
  expect(after.status).toBe(405);
});

test.each(['terminal_error', 'auto'] as const)('style %s falls back to a status where no call waits', async (refusal) => {
  const { url, session } = await droppedCall({ refusal });
  expect((await fetchRaw(url, { headers: { ...session, 'last-event-id': 'never' } })).status).toBe(409);
});

test('proxy replay: a dropped call is read on and served to its end', async () => {
  const { url, session, call, upstream } = await droppedCall({ replay: 'proxy' });
  call()?.res.write(frame('p3'));
  call()?.res.end(frame('p4', resultFor(7)));
  await until(() => call()?.res.writableFinished);
  const resumed = await resume(url, session, 'p1');
  await until(resumed.isEnded);
  expect(ids(resumed)).toEqual(['p2', 'p3', 'p4']);
  expect(upstream.seen.filter((request) => request.headers['last-event-id'] !== undefined)).toEqual([]);
});

test('proxy replay hands over to live without a gap, even in the middle of an event', async () => {
  const { url, session, call } = await droppedCall({ replay: 'proxy' });
  const half = frame('p3');
  call()?.res.write(frame('p2b') + half.slice(0, 20));
  const resumed = await resume(url, session, 'p1');
  await until(() => resumed.events.length === 2);
  call()?.res.write(half.slice(20));
  call()?.res.end(frame('p4', resultFor(7)));
  await until(resumed.isEnded);
  expect(ids(resumed)).toEqual(['p2', 'p2b', 'p3', 'p4']);
});

test('upstream replay: a client that has everything is given the stream that is still open', async () => {
  const { url, session, call, upstream } = await droppedCall();
  await until(() => upstream.seen.length >= 2);
  const resumed = await resume(url, session, 'p2');
  expect(resumed.status).toBe(200);
  call()?.res.end(frame('p3', resultFor(7)));
  await until(resumed.isEnded);
  expect(ids(resumed)).toEqual(['p3']);
  expect(call()?.isAborted).toBe(false);
});

test('proxy replay: a stream that another connection holds is busy, which is no refusal of the cursor', async () => {
  const { url, session, call } = await droppedCall({ replay: 'proxy' });
  const holder = await resume(url, session, 'p1');
  await until(() => holder.events.length === 1);
  const second = await fetchRaw(url, { headers: { ...session, 'last-event-id': 'p1' } });
  expect([second.status, error(second.body).code, error(second.body).data.type]).toEqual([409, -32012, 'stream_busy']);
  call()?.res.end(frame('p3', resultFor(7)));
  await until(holder.isEnded);
  expect(ids(holder)).toEqual(['p2', 'p3']);
});

test('proxy replay gives resumability to a server that sends no ids', async () => {
  let get: SeenRequest | null = null;
  const { url } = await setUp(
    (request) => {
      get = request;
      openSse(request.res).write('data: {"n":1}\n\ndata: {"n":2}\r\n\r\n');
    },
    { replay: 'proxy' },
  );
  const session = await initialize(url);
  const stream = await openStream(url, { headers: session });
  await until(() => stream.events.length === 2);
  const cursor = stream.events[0]?.id ?? '';
  expect(new Set(ids(stream)).size).toBe(2);
  stream.close();
  (get as SeenRequest | null)?.res.write('data: {"n":3}\n\n');
  const resumed = await resume(url, session, cursor);
  await until(() => resumed.events.length === 2);
  expect(resumed.events.map((event) => event.data)).toEqual(['{"n":2}', '{"n":3}']);
  resumed.close();
});

test('a new initialize under the token is a new generation: old cursors are refused and the session is fenced', async () => {
  const { url, session, running } = await droppedGet();
  await initialize(url);
  const answer = await fetchRaw(url, { headers: { ...session, 'last-event-id': 'e2' } });
  expect([answer.status, error(answer.body).data.reason]).toEqual([409, 'generation_mismatch']);
  const later = await post(url, session, rpc(3, 'tools/list'));
  expect([later.status, error(later.body).code]).toEqual([404, -32001]);
  await initialize(url);
  expect((await post(url, session, rpc(null, 'notifications/x'))).status).toBe(202);
  expect(await lastAttempt(running)).toMatchObject({ verdict: 'refused', reason: 'generation_mismatch' });
});

test('an upstream that was gone and came back is a new generation, even when it answers for the old cursor', async () => {
  const { url, session, upstream, running } = await droppedGet({}, ({ res }) => openSse(res).write(frame('e3') + frame('e4')));
  // Only a stream that is still open tells of its upstream's end at once.
  await until(() => running.proxy.routes()[0]?.openStreams === 0);
  await upstream.kill();
  expect((await fetchRaw(url, { headers: { ...session, 'last-event-id': 'e2' } })).status).toBe(502);
  await upstream.restart();
  const answer = await fetchRaw(url, { headers: { ...session, 'last-event-id': 'e2' } });
  expect([answer.status, error(answer.body).data.reason]).toEqual([409, 'generation_mismatch']);
});

test('a proxy that was restarted refuses old cursors as generation_unknown', async () => {
  const { session, upstream, running } = await droppedGet();
  await running.stop();
  cleanups.pop();
  const next = await startProxy({ upstream: upstream.url, mode: 'enforce' });
  cleanups.push(next.stop);
  const answer = await fetchRaw(next.url(), { headers: { ...session, 'last-event-id': 'e2' } });
  expect([answer.status, error(answer.body).data.reason]).toEqual([409, 'generation_unknown']);
  expect((await post(next.url(), session, rpc(3, 'tools/list'))).status).toBe(404);
});

test('DELETE forgets the session; 405 keeps it', async () => {
  let status = 405;
  const { url, session, upstream } = await droppedGet({}, ({ res }) => openSse(res).write(frame('e3') + frame('e4')));
  const answer = upstream.answer;
  upstream.answer = (request) => (request.method === 'DELETE' ? void request.res.writeHead(status).end() : answer(request));
  expect((await fetchRaw(url, { method: 'DELETE', headers: session })).status).toBe(405);
  const resumed = await resume(url, session, 'e2');
  expect(resumed.status).toBe(200);
  resumed.close();
  status = 200;
  expect((await fetchRaw(url, { method: 'DELETE', headers: session })).status).toBe(200);
  for (const request of [
    { headers: session },
    { headers: { ...session, 'last-event-id': 'e2' } },
    { method: 'POST', headers: { ...session, 'content-type': 'application/json' }, body: rpc(1, 'tools/list') },
    { method: 'DELETE', headers: session },
  ]) {
    const gone = await fetchRaw(url, request);
    expect([gone.status, error(gone.body).code, error(gone.body).data.type]).toEqual([404, -32001, 'session_gone']);
  }
});

test("another principal's valid cursor gets the answer of one that never existed", async () => {
  const upstream = await scriptedUpstream(
    withSession('S1', (request) => {
      if (request.headers['mcp-session-id'] !== 'S1') request.res.writeHead(404).end();
      else openSse(request.res).write(frame('e1') + frame('e2'));
    }),
  );
  cleanups.push(upstream.stop);
  const running = await startProxy({ upstream: upstream.url, mode: 'enforce' });
  cleanups.push(running.stop);
  const url = running.url();
  const session = await initialize(url, { authorization: 'Bearer alice' });
  const stream = await openStream(url, { headers: session });
  await until(() => stream.events.length === 2);
  stream.close();
  const ask = (headers: Record<string, string>) => fetchRaw(url, { headers: { ...session, ...headers, 'last-event-id': 'e1' } });
  const foreign = await ask({ authorization: 'Bearer mallory' });
  const pinging = upstream.answer;
  upstream.answer = (request) => (request.headers['mcp-session-id'] === 'S1' ? pinging(request) : void request.res.writeHead(404).end());
  const unknown = await ask({ authorization: 'Bearer mallory', 'mcp-session-id': 'nobody' });
  expect(foreign.status).toBe(404);
  expect(foreign.body).toBe(unknown.body);
});

test('a live session shows how far its client is above the floor, listening or away', async () => {
  const { url, session, running } = await droppedGet({ replay: 'proxy', buffer: { events: 2, bytes: 1e6, ttlMs: 60_000 } });
  const lead = async () => (await running.proxy.sessions('r', 1))?.[0]?.streams[0];
  await until(async () => (await lead())?.hasListener === false);
  // e3 and e4 are kept and the client has e4: two more may go before its cursor does.
  expect(await lead()).toMatchObject({ floor: 3, head: 4, leadToFloor: 2 });
  const back = await resume(url, session, 'e4');
  expect(await lead()).toMatchObject({ hasListener: true, leadToFloor: 2 });
  back.close();
});

test('a renewed credential is another one: its holder initializes again and goes on from there', async () => {
  const { url, session } = await droppedGet({}, ({ res }) => openSse(res));
  const renewed = { ...session, authorization: 'Bearer renewed' };
  const refused = await fetchRaw(url, { headers: { ...renewed, 'last-event-id': 'e2' } });
  expect([refused.status, error(refused.body).data]).toEqual([
    404,
    { type: 'session_gone', reason: 'session_gone', next_step: 'reinitialize' },
  ]);
  const again = await initialize(url, { authorization: 'Bearer renewed' });
  const stream = await openStream(url, { headers: again });
  await until(() => stream.events.length === 4);
  stream.close();
  const resumed = await resume(url, again, 'e4');
  expect([resumed.status, resumed.headers['tidemark-resumed-from']]).toEqual([200, '4']);
  resumed.close();
});

test('shadow passes everything and reports what it would have done', async () => {
  const { url, session, running } = await droppedGet({ mode: 'shadow' }, ({ res }) => openSse(res).write(frame('e9')));
  const resumed = await resume(url, session, 'never-issued');
  await until(() => resumed.events.length === 1);
  resumed.close();
  expect(await lastAttempt(running)).toMatchObject({ verdict: 'resumed', status: 200, cursor: null, last_event_id: 'never-issued' });
  expect(running.proxy.routes()[0]).toMatchObject({ mode: 'shadow', wouldRefuse: { unknown_cursor: 1 } });
});

test('canary enforces on a share of sessions, the same ones every time', async () => {
  for (const [canaryPercent, status] of [
    [0, 200],
    [100, 409],
  ] as const) {
    const { url, session } = await droppedGet({ mode: 'canary', canaryPercent }, ({ res }) => openSse(res));
    const resumed = await resume(url, session, 'never-issued');
    expect(resumed.status).toBe(status);
    resumed.close();
  }
});

test('a session is ended on its own route only, and what follows the question mark of an upstream is not shown', async () => {
  const upstream = await scriptedUpstream(withSession('S1', ({ res }) => void openSse(res).write(frame('a'))));
  cleanups.push(upstream.stop);
  const routes = ['mine', 'other'].map((name) => ({ name, upstream: `${upstream.url}?key=secret` }));
  const running = await startProxy(routes);
  cleanups.push(running.stop);
  const session = await initialize(running.url('mine'));
  const [status] = (await running.proxy.sessions('mine', 1)) ?? [];
  const ref = status?.ref ?? expect.fail();
  expect(await running.proxy.sessions('other', 1)).toEqual([]);
  expect(await running.proxy.endSession('other', ref)).toBe(false);
  const stream = await openStream(running.url('mine'), { headers: session });
  expect(stream.status).toBe(200);
  stream.close();
  expect(await running.proxy.endSession('mine', ref)).toBe(true);
  expect(await running.proxy.sessions('mine', 1)).toEqual([]);
  expect(running.proxy.routes().map((route) => route.upstream)).toEqual([`${upstream.url}?…`, `${upstream.url}?…`]);
});

test('a client that makes cursors up does not switch enforcement off', async () => {
  const alerts: unknown[] = [];
  const upstream = await scriptedUpstream(withSession('S1', ({ res }) => openSse(res).write(frame('e0'))));
  cleanups.push(upstream.stop);
  const running = await startProxy({ upstream: upstream.url, mode: 'enforce' }, { onAlert: (alert) => alerts.push(alert) });
  cleanups.push(running.stop);
  const session = await initialize(running.url());
  for (let n = 0; n < 20; n++) {
    expect((await fetchRaw(running.url(), { headers: { ...session, 'last-event-id': `made-up-${n}` } })).status).toBe(409);
  }
  expect(alerts).toEqual([]);
  expect(running.proxy.routes()[0]?.mode).toBe('enforce');
});

test('a client that advances and is refused again and again switches the route to shadow', async () => {
  const alerts: unknown[] = [];
  const events = Array.from({ length: 40 }, (_, i) => `e${i}`);
  const upstream = await scriptedUpstream(withSession('S1', ({ res }) => openSse(res).write(events.map((id) => frame(id)).join(''))));
  cleanups.push(upstream.stop);
  const running = await startProxy(
    { upstream: upstream.url, mode: 'enforce', buffer: { events: 2, bytes: 1e6, ttlMs: 60_000 } },
    { onAlert: (alert) => alerts.push(alert) },
  );
  cleanups.push(running.stop);
  const session = await initialize(running.url());
  const stream = await openStream(running.url(), { headers: session });
  await until(() => stream.events.length === events.length);
  stream.close();
  for (const id of events.slice(0, 8)) await fetchRaw(running.url(), { headers: { ...session, 'last-event-id': id } });
  expect(alerts).toMatchObject([{ route: 'r', kind: 'advancing_cursor' }]);
  expect(running.proxy.routes()[0]?.mode).toBe('shadow');
});

test.each((['upstream', 'proxy'] as const).flatMap((replay) => [true, false].map((hasIds) => ({ replay, hasIds }))))(
  'what keeps a stream alive is no event: replay $replay, ids of the server $hasIds',
  async ({ replay, hasIds }) => {
    const named = (id: string) => (hasIds ? frame(id) : frame(id).replace(/id: .*\n/, ''));
    const upstream = await scriptedUpstream(
      withSession('S1', ({ res, headers }) => {
        if (headers['last-event-id'] === undefined) openSse(res).write(`${named('a')}: keep-alive\n\nretry: 700\n\n:\r\n\r\nevent: x\n\n`);
        else openSse(res).write(`: hello\n\n${named('b')}`);
      }),
    );
    cleanups.push(upstream.stop);
    const running = await startProxy({ upstream: upstream.url, mode: 'enforce', replay });
    cleanups.push(running.stop);
    const session = await initialize(running.url());
    const stream = await openStream(running.url(), { headers: session });
    await until(() => stream.bytes().includes('event: x\n\n'));
    expect(stream.bytes().toString().split('id: ')).toHaveLength(hasIds || replay === 'proxy' ? 2 : 1);
    expect((await running.proxy.sessions('r', 1))?.[0]?.streams).toMatchObject([{ floor: 1, head: 1 }]);
    const cursor = stream.events[0]?.id ?? '';
    stream.close();
    if (cursor === '') return;
    const back = await resume(running.url(), session, cursor);
    expect([back.status, back.headers['tidemark-replayed']]).toEqual([200, '0']);
    back.close();
  },
);
