import { describe, expect, test } from 'vitest';
import { NumberedRingStore } from '@/demo/servers/numbered-ring-store';
import { startV1Server } from '@/demo/servers/sdk-v1-server';
import { startV2Server } from '@/demo/servers/sdk-v2-server';
import { eventStoreOf, guardResume, SessionEventLog, type SessionEventLogOptions } from '../src/index.js';
import { connect, judgementOf, opened, resumeGet, startTelemetry, type Telemetry } from './stack';

const lines = [
  { sdk: 'v1' as const, start: startV1Server },
  { sdk: 'v2' as const, start: startV2Server },
];

/** A correct server: bounded log, reporting store, guard. */
async function startCorrect(sdk: 'v1' | 'v2', { tidemark }: Telemetry, bounds: Partial<SessionEventLogOptions> = {}) {
  const logs = new Map<string, SessionEventLog>();
  const openStore = (sessionId: string) => {
    const log = new SessionEventLog({ sessionId, ...bounds });
    logs.set(sessionId, log);
    return tidemark.eventStore(log, { sessionId });
  };
  const start = sdk === 'v1' ? startV1Server : startV2Server;
  const running = opened(await start({ openStore, wrap: (handler) => guardResume(handler, { tidemark }) }));
  return { ...running, logs };
}

describe.each(lines)('a correct server on SDK $sdk', ({ sdk }) => {
  test.each(lines)('client $sdk drops and resumes whole, and every fact of it is told', async ({ sdk: clientSdk }) => {
    const telemetry = await startTelemetry();
    const { url } = await startCorrect(sdk, telemetry);
    const client = await connect(url, clientSdk);
    await client.call('work', { steps: 5, drop_at: 3 });
    expect(client.received).toEqual(['step 1', 'step 2', 'step 3', 'step 4', 'step 5']);

    await telemetry.receiver.until(() => telemetry.receiver.of('resume_attempt').length === 1);
    const [attempt] = telemetry.receiver.of('resume_attempt');
    expect(attempt).toMatchObject({
      server: 'under-test',
      session: client.sessionId,
      verdict: 'resumed',
      status: 200,
      session_state: 'live',
      cursor: 3,
      floor: 1,
      head: 7,
      replayed: { count: 4 },
      client: { name: `client-${clientSdk}`, version: '1.2.3' },
      protocol_version: '2025-11-25',
    });
    expect(attempt && judgementOf(attempt)).toMatchObject({ assessment: 'correct', decision: { reason: 'ok' } });
    expect(telemetry.receiver.problems).toEqual([]);
  });

  test('the standalone stream resumes too', async () => {
    const telemetry = await startTelemetry();
    const { url } = await startCorrect(sdk, telemetry);
    const client = await connect(url, sdk);
    await telemetry.receiver.until(() => telemetry.receiver.of('open').some((open) => open.method === 'GET'));
    await client.call('announce', { count: 2, drop: false });
    await telemetry.receiver.until(() => telemetry.receiver.of('deliver').some((deliver) => deliver.stream === 'get'));
    await client.call('announce', { count: 2, drop: true });
    await telemetry.receiver.until(() => telemetry.receiver.of('resume_attempt').length === 1);
    const [attempt] = telemetry.receiver.of('resume_attempt');
    expect(attempt).toMatchObject({ stream: 'get', verdict: 'resumed', cursor: 2, head: 4, replayed: { count: 2 } });
    expect(client.received).toEqual(['news 1', 'news 2', 'news 1', 'news 2']);
  });

  test('a cursor below the floor gets the refusal of the contract, and it is told as the server acted', async () => {
    const telemetry = await startTelemetry();
    const { url, logs } = await startCorrect(sdk, telemetry, { maxEvents: 3 });
    const client = await connect(url, sdk);
    await client.call('work', { steps: 5, drop_at: 99 });
    const [first = ''] = client.cursors;
    const { response } = await resumeGet(url, client.sessionId ?? '', first);
    expect([response.status, response.headers.get('content-type'), response.headers.get('cache-control')]).toEqual([
      409,
      'application/json',
      'no-store',
    ]);
    const log = logs.get(client.sessionId ?? '');
    const stream = log?.cursorFacts(first).stream ?? '';
    expect(await response.json()).toEqual({
      jsonrpc: '2.0',
      id: null,
      error: {
        code: -32010,
        message: expect.stringMatching(/^resume_unavailable: 3 events after .*; initialize again$/),
        data: {
          type: 'resume_unavailable',
          reason: 'below_floor',
          cursor: 1,
          floor: 5,
          head: 7,
          generation: log?.generation,
          earliest_retained_id: log?.floorId(stream),
          missing: 3,
          next_step: 'reinitialize',
        },
      },
    });
    await telemetry.receiver.until(() => telemetry.receiver.of('resume_attempt').length === 1);
    const [attempt] = telemetry.receiver.of('resume_attempt');
    expect(attempt).toMatchObject({ verdict: 'refused', reason: 'below_floor', status: 409, code: -32010 });
    expect(attempt && judgementOf(attempt)).toMatchObject({ assessment: 'correct', decision: { reason: 'below_floor' } });
    expect(telemetry.receiver.of('evict').at(-1)).toMatchObject({ cause: 'count', floor: log?.floorId(stream) });
  });

  test('the newest evicted event still resumes whole, with the headers of an accepted resume', async () => {
    const telemetry = await startTelemetry();
    const { url, logs } = await startCorrect(sdk, telemetry, { maxEvents: 3 });
    const client = await connect(url, sdk);
    await client.call('work', { steps: 5, drop_at: 99 });
    const newestEvicted = client.cursors[3] ?? '';
    const { response, leave } = await resumeGet(url, client.sessionId ?? '', newestEvicted);
    await leave();
    expect(response.status).toBe(200);
    const header = (name: string) => response.headers.get(`tidemark-${name}`);
    expect([header('resumed-from'), header('floor'), header('head'), header('replayed')]).toEqual(['4', '5', '7', '3']);
    expect(header('generation')).toBe(logs.get(client.sessionId ?? '')?.generation);
  });

  test('an unknown id, and a real id of another session, get one and the same answer', async () => {
    const telemetry = await startTelemetry();
    const { url } = await startCorrect(sdk, telemetry);
    const [mine, other] = [await connect(url, sdk), await connect(url, sdk)];
    await other.call('work', { steps: 2, drop_at: 99 });
    const unknown = await resumeGet(url, mine.sessionId ?? '', 'never-issued');
    const foreign = await resumeGet(url, mine.sessionId ?? '', other.cursors[0] ?? '');
    expect([unknown.response.status, foreign.response.status]).toEqual([409, 409]);
    const body = await foreign.response.text();
    expect(body).toBe(await unknown.response.text());
    expect(JSON.parse(body)).toMatchObject({ error: { data: { reason: 'unknown_cursor', floor: null, head: null, generation: null } } });
    await telemetry.receiver.until(() => telemetry.receiver.of('resume_attempt').length === 2);
    expect(telemetry.receiver.of('resume_attempt').map((attempt) => judgementOf(attempt).decision?.reason)).toEqual([
      'unknown_cursor',
      'unknown_cursor',
    ]);
  });

  test.each([
    { name: 'text that cannot be a cursor', lastEventId: 'caf\u00e9', want: [400, -32011, 'malformed_cursor'] },
    { name: 'text over 1,024 bytes', lastEventId: 'x'.repeat(1025), want: [400, -32011, 'malformed_cursor'] },
  ])('$name gets 400', async ({ lastEventId, want }) => {
    const telemetry = await startTelemetry();
    const { url } = await startCorrect(sdk, telemetry);
    const client = await connect(url, sdk);
    const { response } = await resumeGet(url, client.sessionId ?? '', lastEventId);
    const { error } = (await response.json()) as { error: { code: number; data: { type: string } } };
    expect([response.status, error.code, error.data.type]).toEqual(want);
  });

  test('an ended session gets 404 under its token', async () => {
    const telemetry = await startTelemetry();
    const { url } = await startCorrect(sdk, telemetry);
    const client = await connect(url, sdk);
    await client.call('work', { steps: 1, drop_at: 99 });
    const [cursor = ''] = client.cursors;
    const { sessionId = '' } = client;
    await client.end();
    const { response } = await resumeGet(url, sessionId, cursor);
    expect([response.status, await response.json()]).toMatchObject([
      404,
      { error: { code: -32001, data: { type: 'session_gone', reason: 'session_evicted' } } },
    ]);
    await telemetry.receiver.until(() => telemetry.receiver.of('session').some((record) => record.event === 'ended'));
  });

  test('requests, connections and deliveries are told with the streams and digests of what was stored', async () => {
    const telemetry = await startTelemetry();
    const { url } = await startCorrect(sdk, telemetry);
    const client = await connect(url, sdk);
    await client.call('work', { steps: 1, drop_at: 99 });
    const { receiver } = telemetry;
    await receiver.until(() => receiver.of('close').length >= 2 && receiver.of('request').some((request) => request.tool === 'work'));
    expect(receiver.of('request').map((request) => [request.rpc?.method, request.status])).toEqual(
      expect.arrayContaining([
        ['initialize', 200],
        ['notifications/initialized', 202],
        ['tools/call', 200],
      ]),
    );
    const call = receiver.of('request').find((request) => request.tool === 'work');
    const open = receiver.of('open').find((record) => record.conn === call?.conn);
    const emitted = receiver.of('emit').filter((record) => record.stream === open?.stream);
    const delivered = receiver.of('deliver').filter((record) => record.conn === call?.conn);
    expect(emitted.map((record) => record.kind)).toEqual(['priming', 'message', 'message']);
    expect(delivered.flatMap((record) => record.event_ids ?? [])).toEqual(emitted.map((record) => record.event_id));
    expect(delivered.flatMap((record) => record.digests ?? [])).toEqual(emitted.map((record) => record.digest ?? null));
    expect(receiver.of('close').find((record) => record.conn === call?.conn)).toMatchObject({ by: 'server' });
    expect(JSON.stringify(receiver.records)).not.toContain('step 1');
  });
});

describe('a server whose store leaves out what it has lost', () => {
  test.each(lines)('on SDK $sdk is seen to resume in silence below its floor', async ({ sdk, start }) => {
    const { receiver, tidemark } = await startTelemetry();
    const openStore = (sessionId: string) => {
      const ring = new NumberedRingStore(3);
      return tidemark.eventStore(ring, { sessionId, isRetained: (id) => ring.has(id) });
    };
    const { url } = opened(await start({ openStore: openStore }));
    const client = await connect(url, sdk);
    await client.call('work', { steps: 8, drop_at: 2 });
    await receiver.until(() => receiver.of('resume_attempt').length === 1);
    const [attempt] = receiver.of('resume_attempt');
    expect(attempt).toMatchObject({ verdict: 'resumed', cursor: 2, floor: 8, head: 10, replayed: { count: 3 } });
    expect(attempt && judgementOf(attempt)).toMatchObject({ assessment: 'unsafe_resume', decision: { reason: 'below_floor' } });
    expect(client.received).toEqual(['step 1', 'step 7', 'step 8']);
  });

  test('guarded, the same cursor is refused', async () => {
    const { receiver, tidemark } = await startTelemetry();
    const openStore = (sessionId: string) => {
      const ring = new NumberedRingStore(3);
      return tidemark.eventStore(ring, { sessionId, isRetained: (id) => ring.has(id) });
    };
    const { url } = opened(await startV1Server({ openStore: openStore, wrap: (handler) => guardResume(handler, { tidemark }) }));
    const client = await connect(url);
    await client.call('work', { steps: 8, drop_at: 99 });
    const { response } = await resumeGet(url, client.sessionId ?? '', client.cursors[0] ?? '');
    expect(await response.json()).toMatchObject({ error: { data: { reason: 'below_floor' } } });
    await receiver.until(() => receiver.of('resume_attempt').length === 1);
  });

  test('a store whose evictions cannot be seen reports no floor, and the resume is unverifiable', async () => {
    const { receiver, tidemark } = await startTelemetry();
    const openStore = (sessionId: string) => tidemark.eventStore(new NumberedRingStore(3), { sessionId });
    const { url } = opened(await startV1Server({ openStore: openStore }));
    const client = await connect(url);
    await client.call('work', { steps: 8, drop_at: 2 });
    await receiver.until(() => receiver.of('resume_attempt').length === 1);
    const [attempt] = receiver.of('resume_attempt');
    expect([attempt?.floor, attempt?.head]).toEqual([undefined, 10]);
    expect(attempt && judgementOf(attempt)).toMatchObject({ assessment: 'unverifiable', missing: ['floor'] });
  });
});

describe('SessionEventLog without telemetry', () => {
  test.each(lines)('on SDK $sdk refuses an unknown id instead of a silent 200', async ({ sdk, start }) => {
    const { url } = opened(await start({ openStore: (sessionId: string) => eventStoreOf(new SessionEventLog({ sessionId })) }));
    const client = await connect(url, sdk);
    const { response } = await resumeGet(url, client.sessionId ?? '', 'never-issued');
    expect(response.status).toBe(400);
  });

  test('a guard may ask the logs alone', async () => {
    const logs = new Map<string, SessionEventLog>();
    const openStore = (sessionId: string) => {
      const log = new SessionEventLog({ sessionId });
      logs.set(sessionId, log);
      return eventStoreOf(log);
    };
    const { url } = opened(await startV2Server({ openStore, wrap: (handler) => guardResume(handler, { log: (id) => logs.get(id) }) }));
    const client = await connect(url, 'v2');
    const { response } = await resumeGet(url, client.sessionId ?? '', 'never-issued');
    expect(response.status).toBe(409);
    expect((await resumeGet(url, 'no-such-session', 'x')).response.status).toBe(404);
  });

  test('a log that cannot be asked gets 503, never a guess', async () => {
    const openStore = (sessionId: string) => eventStoreOf(new SessionEventLog({ sessionId }));
    const log = () => {
      throw new Error('away');
    };
    const { url } = opened(await startV1Server({ openStore, wrap: (handler) => guardResume(handler, { log }) }));
    const client = await connect(url);
    const { response } = await resumeGet(url, client.sessionId ?? '', 'x');
    expect([response.status, response.headers.get('retry-after'), await response.json()]).toMatchObject([
      503,
      '1',
      { error: { code: -32013 } },
    ]);
  });
});
