import { describe, expect, test } from 'vitest';
import { listenOnLoopback } from '@/demo/servers/mcp-server';
import { NumberedRingStore } from '@/demo/servers/numbered-ring-store';
import { startV1Server } from '@/demo/servers/sdk-v1-server';
import { startV2Server } from '@/demo/servers/sdk-v2-server';
import { eventStoreOf, type GuardResumeOptions, guardResume, SessionEventLog, type Tidemark } from '../src/index.js';
import { connect, judgementOf, opened, resumeGet, startTelemetry } from './stack';

const STARTS = { v1: startV1Server, v2: startV2Server };
const LINES = ['v1', 'v2'] as const;
const PAIRS = LINES.flatMap((server) => LINES.map((client) => ({ server, client })));
const STYLES = ['terminal_error', 'auto'] as const;
/** More events than the log keeps, and the stream dropped before any of them: no cursor of the call can be served. */
const OUTRUN = { steps: 9, drop_at: 2 };

type Keep = (tidemark: Tidemark, sessionId: string) => ReturnType<Tidemark['eventStore']>;

const inLog: Keep = (tidemark, sessionId) => tidemark.eventStore(new SessionEventLog({ sessionId, maxEvents: 3 }), { sessionId });
const inRing: Keep = (tidemark, sessionId) => {
  const ring = new NumberedRingStore(3);
  return tidemark.eventStore(ring, { sessionId, isRetained: (id) => ring.has(id) });
};

async function start(line: 'v1' | 'v2', options: Partial<GuardResumeOptions>, keep: Keep = inLog) {
  const { receiver, tidemark } = await startTelemetry();
  const { url } = opened(
    await STARTS[line]({
      openStore: (sessionId: string) => keep(tidemark, sessionId),
      wrap: (handler) => guardResume(handler, { tidemark, ...options }),
    }),
  );
  return { url, receiver };
}

const failureOf = (call: Promise<unknown>) =>
  call.then(
    () => null,
    (error: unknown) => error,
  );

/** The one event of an event stream. */
function soleEvent(text: string): { id: string; data: unknown } {
  const [, id = '', data = ''] = /^id: (.*)\nevent: message\ndata: (.*)\n\n$/.exec(text) ?? [];
  return { id, data: JSON.parse(data) };
}

describe.each(PAIRS)('server $server, client $client', ({ server, client: sdk }) => {
  test.each(STYLES)('%s rejects the pending call in the same round trip, with the reason', async (refusal) => {
    const { url, receiver } = await start(server, { refusal });
    const client = await connect(url, sdk);
    expect(await failureOf(client.call('work', OUTRUN, 50_000))).toMatchObject({
      code: -32010,
      data: { type: 'resume_unavailable', reason: 'below_floor', next_step: 'reinitialize' },
    });
    await receiver.until(() => receiver.of('resume_attempt').length > 0);
    const [attempt] = receiver.of('resume_attempt');
    expect(attempt).toMatchObject({ verdict: 'refused', reason: 'below_floor', status: 200, code: -32010 });
    expect(attempt && judgementOf(attempt).assessment).toBe('correct');
  });

  test('status leaves the call to its own timeout', async () => {
    const { url, receiver } = await start(server, {});
    const client = await connect(url, sdk);
    const failure = await failureOf(client.call('work', OUTRUN, 3_000));
    expect(failure).toMatchObject({ code: expect.anything() });
    expect(failure).not.toMatchObject({ code: -32010 });
    await receiver.until(() => receiver.of('resume_attempt').length > 0);
    expect(receiver.of('resume_attempt')[0]).toMatchObject({ verdict: 'refused', status: 409, code: -32010 });
  });
});

describe.each(STYLES)('style %s', (refusal) => {
  test.each([
    { name: 'a session log', keep: inLog },
    { name: 'a watched store', keep: inRing },
  ])('with $name sends exactly one event under the id of the request; its own id gets 405 later', async ({ keep }) => {
    const { url, receiver } = await start('v1', { refusal }, keep);
    const client = await connect(url);
    await client.call('work', { steps: 5, drop_at: 99 });
    const sessionId = client.sessionId ?? '';
    const { response } = await resumeGet(url, sessionId, client.cursors[0] ?? '');
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
    const { id, data } = soleEvent(await response.text());
    await receiver.until(() => receiver.of('request').some((record) => record.tool === 'work'));
    const [call] = receiver.of('request').filter((record) => record.tool === 'work');
    expect(data).toMatchObject({ jsonrpc: '2.0', id: call?.rpc?.id, error: { code: -32010, data: { reason: 'below_floor' } } });
    const later = await resumeGet(url, sessionId, id);
    expect([later.response.status, later.response.headers.get('allow')]).toEqual([405, 'POST, DELETE']);
    expect(await later.response.json()).toMatchObject({ id: null, error: { code: -32000 } });
    expect((await resumeGet(url, sessionId, `${id}x`)).response.status).toBe(409);
  });

  test.each([
    { name: 'a cursor that was never issued', cursorOf: () => 'never-issued', want: 409 },
    { name: 'text that cannot be a cursor', cursorOf: () => 'x'.repeat(1025), want: 400 },
    { name: 'a cursor that has the answer', cursorOf: (cursors: readonly string[]) => cursors.at(-1) ?? '', want: 200 },
  ])('$name gets the status', async ({ cursorOf, want }) => {
    const { url } = await start('v2', { refusal });
    const client = await connect(url, 'v2');
    await client.call('work', { steps: 5, drop_at: 99 });
    const { response, leave } = await resumeGet(url, client.sessionId ?? '', cursorOf(client.cursors));
    await leave();
    expect([response.status, response.headers.get('tidemark-replayed')]).toEqual([want, want === 200 ? '0' : null]);
  });

  test('a cursor of the standalone stream gets the status, since no call waits for it', async () => {
    const { url, receiver } = await start('v1', { refusal });
    const client = await connect(url);
    await receiver.until(() => receiver.of('open').some((open) => open.method === 'GET'));
    await client.call('announce', { count: 9, drop: false });
    await receiver.until(() => receiver.of('deliver').some((deliver) => deliver.stream === 'get'));
    const [first] = receiver.of('emit').filter((emit) => emit.stream === 'get');
    const { response } = await resumeGet(url, client.sessionId ?? '', String(first?.event_id));
    expect(response.status).toBe(409);
  });

  test('a call of a session that has ended is settled too, with the code of a session that is gone', async () => {
    const { url, receiver } = await start('v1', { refusal });
    const client = await connect(url);
    await client.call('work', { steps: 5, drop_at: 99 });
    const { sessionId = '', cursors } = client;
    await client.end();
    await receiver.until(() => receiver.of('session').some((record) => record.event === 'ended'));
    const { response } = await resumeGet(url, sessionId, cursors[0] ?? '');
    expect([response.status, soleEvent(await response.text()).data]).toMatchObject([
      200,
      { error: { code: -32001, data: { type: 'session_gone', floor: null, head: null } } },
    ]);
  });

  test('works without telemetry', async () => {
    const logs = new Map<string, SessionEventLog>();
    const openStore = (sessionId: string) => {
      const log = new SessionEventLog({ sessionId, maxEvents: 3 });
      logs.set(sessionId, log);
      return eventStoreOf(log);
    };
    const { url } = opened(
      await startV2Server({ openStore, wrap: (handler) => guardResume(handler, { log: (id) => logs.get(id), refusal }) }),
    );
    const client = await connect(url, 'v2');
    expect(await failureOf(client.call('work', OUTRUN, 50_000))).toMatchObject({ code: -32010 });
  });
});

describe.each(LINES)('a stream that another connection holds, on SDK %s', (line) => {
  test('is answered 409 with its own code, and counted as a conflict', async () => {
    const { url, receiver } = await start(line, {});
    const client = await connect(url, line);
    await receiver.until(() => receiver.of('open').some((open) => open.method === 'GET'));
    await client.call('announce', { count: 1, drop: false });
    await receiver.until(() => receiver.of('deliver').some((deliver) => deliver.stream === 'get'));
    const [first] = receiver.of('emit').filter((emit) => emit.stream === 'get');
    const { response } = await resumeGet(url, client.sessionId ?? '', String(first?.event_id));
    expect([response.status, response.headers.get('content-type'), response.headers.get('cache-control')]).toEqual([
      409,
      'application/json',
      'no-store',
    ]);
    expect(await response.json()).toMatchObject({ id: null, error: { code: -32012, data: { type: 'stream_busy', next_step: 'retry' } } });
    await receiver.until(() => receiver.of('resume_attempt').length === 1);
    expect(receiver.of('resume_attempt')[0]).toMatchObject({ verdict: 'refused', reason: 'stream_busy', status: 409, code: -32012 });
  });
});

test.each([
  { name: 'a head that is written', answer: 'written' },
  { name: 'a head that is implied', answer: 'implied' },
])('a 409 of the handler is replaced whole: $name', async ({ answer }) => {
  const log = new SessionEventLog({ sessionId: 's' });
  const cursor = log.append('a', 'x');
  const { url } = opened(
    await listenOnLoopback(
      guardResume(
        (_req, res) => {
          if (answer === 'written') res.writeHead(409, { 'content-type': 'text/plain', 'content-length': 4 });
          else res.statusCode = 409;
          res.write('bu', () => res.end('sy'));
        },
        { log: () => log },
      ),
    ),
  );
  const { response } = await resumeGet(url, 's', cursor);
  expect([response.status, await response.json()]).toMatchObject([409, { error: { code: -32012 } }]);
});
