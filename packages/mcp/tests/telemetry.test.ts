import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { startV1Server } from '@/demo/servers/sdk-v1-server';
import { createTidemark, guardResume, SessionEventLog, type TelemetryProblem, type Tidemark } from '../src/index.js';
import { RecordingReceiver } from './recording-receiver';
import { connect, newFolder, opened, resumeGet, startTelemetry } from './stack';

const note = (tidemark: Tidemark, count: number) => {
  for (let n = 0; n < count; n++) tidemark.record({ type: 'client', session: 's', event: 'applied' });
};

describe('a telemetry endpoint in trouble leaves the server as it is', () => {
  /** What a client gets from a server that reports to this Tidemark: a result, and a refusal for a bad cursor. */
  async function serve(tidemark: Tidemark) {
    const openStore = (sessionId: string) => tidemark.eventStore(new SessionEventLog({ sessionId }), { sessionId });
    const { url } = opened(await startV1Server({ openStore, wrap: (handler) => guardResume(handler, { tidemark }) }));
    const client = await connect(url);
    await client.call('work', { steps: 4, drop_at: 2 });
    const { response } = await resumeGet(url, client.sessionId ?? '', 'never-issued');
    return { received: client.received, status: response.status };
  }
  const unaffected = { received: ['step 1', 'step 2', 'step 3', 'step 4'], status: 409 };

  test('down', async () => {
    const receiver = new RecordingReceiver();
    const url = await receiver.listen();
    await receiver.close();
    const problems: TelemetryProblem[] = [];
    const tidemark = createTidemark({
      url,
      server: 's',
      retryBaseMs: 1,
      flushIntervalMs: 1,
      onProblem: (problem) => problems.push(problem),
    });
    expect(await serve(tidemark)).toEqual(unaffected);
    await tidemark.close(100);
    expect(new Set(problems.map((problem) => problem.code))).toEqual(new Set(['intake_away', 'delivery_failed']));
    expect(tidemark.stats).toMatchObject({ queued: 0, sent: 0 });
    expect(tidemark.stats.dropped).toBeGreaterThan(0);
  });

  test('answering 500', async () => {
    const { receiver, tidemark } = await startTelemetry();
    receiver.mood = { status: 500 };
    expect(await serve(tidemark)).toEqual(unaffected);
    receiver.mood = { status: 202 };
    await tidemark.flush();
    expect(receiver.of('resume_attempt').length).toBeGreaterThan(0);
    expect(tidemark.stats.dropped).toBe(0);
  });

  test('never answering, and close gives up in time', async () => {
    const { receiver, tidemark } = await startTelemetry();
    receiver.mood = 'hang';
    expect(await serve(tidemark)).toEqual(unaffected);
    await tidemark.close(20);
    expect([tidemark.stats.queued, tidemark.stats.dropped > 0]).toEqual([0, true]);
  });

  test('a listener that throws', async () => {
    const { receiver, tidemark } = await startTelemetry({
      maxQueuedRecords: 1,
      onProblem: () => {
        throw new Error('listener');
      },
    });
    expect(await serve(tidemark)).toEqual(unaffected);
    await receiver.until(() => receiver.records.length > 0);
  });

  test.each([
    { name: 'a spool that cannot be made', options: { spool: { directory: fileURLToPath(import.meta.url) } }, mood: { status: 202 } },
    { name: 'a spool that is full', options: { spool: { directory: '', maxBytes: 1 } }, mood: { status: 202 } },
    { name: 'an intake without WebSocket', options: { transport: 'websocket' }, mood: { status: 404 } },
    { name: 'a key that is refused', options: {}, mood: { status: 401 } },
  ] as const)('a listener that throws or fails later, told of $name', async ({ options, mood }) => {
    for (const isLate of [false, true]) {
      const told: string[] = [];
      const onProblem = ({ code }: TelemetryProblem) => {
        told.push(code);
        if (isLate) return Promise.reject(new Error('listener'));
        throw new Error('listener');
      };
      const spool = 'spool' in options ? { ...options.spool, directory: options.spool.directory || newFolder() } : undefined;
      const { receiver, tidemark } = await startTelemetry({ ...options, ...(spool && { spool }), onProblem, probeIntervalMs: 1 });
      receiver.mood = mood;
      if (mood.status !== 202) await receiver.until(() => receiver.upgrades + receiver.requests.length > 0);
      receiver.mood = { status: 202 };
      await receiver.until(() => receiver.records.length > 0);
      await tidemark.flush();
      expect([told.length > 0, tidemark.stats.queued]).toEqual([true, 0]);
    }
  });

  test('a store that fails still fails to its own caller, and is reported', async () => {
    const { receiver, tidemark } = await startTelemetry();
    const failing = {
      storeEvent: async () => 'e1',
      replayEventsAfter: () => Promise.reject(new Error('disk')),
    };
    const store = tidemark.eventStore(failing, { sessionId: 's' });
    await store.storeEvent('a', {});
    await expect(store.replayEventsAfter('e1', { send: async () => undefined })).rejects.toThrow('disk');
    await tidemark.flush();
    expect(receiver.of('resume_attempt')).toMatchObject([{ verdict: 'failed', last_event_id: 'e1' }]);
    expect(store.getStreamIdForEventId).toBeUndefined();
  });
});

describe('the queue', () => {
  test('is bounded; what it drops is counted, told to the intake and to the next record', async () => {
    const { receiver, tidemark } = await startTelemetry({ maxQueuedRecords: 3, flushIntervalMs: 60_000 });
    note(tidemark, 10);
    expect(tidemark.stats).toMatchObject({ queued: 3, dropped: 8 });
    await tidemark.flush();
    note(tidemark, 1);
    await tidemark.flush();
    expect(receiver.records.at(-1)).toMatchObject({ type: 'client', dropped_before: 8 });
    expect(receiver.requests.at(-1)?.headers['tidemark-dropped']).toBe('8');
  });

  test('is bounded in bytes', async () => {
    const { tidemark } = await startTelemetry({ maxQueuedBytes: 400, flushIntervalMs: 60_000 });
    note(tidemark, 10);
    expect(tidemark.stats.dropped).toBeGreaterThan(5);
  });

  test('sends in order, in batches, compressed when large, with the key', async () => {
    const { receiver, tidemark } = await startTelemetry({ maxBatchRecords: 100, key: 'secret' });
    note(tidemark, 250);
    await tidemark.flush();
    expect(receiver.requests.map((request) => request.count)).toEqual([100, 100, 51]);
    expect(receiver.requests[0]?.headers).toMatchObject({
      authorization: 'Bearer secret',
      'content-encoding': 'gzip',
      'content-type': 'application/x-ndjson',
    });
    const ids = receiver.records.map((record) => record.id ?? '');
    expect(ids).toEqual([...ids].sort());
    expect(new Set(ids).size).toBe(251);
  });

  test('sends a batch again under the same ids until it is taken', async () => {
    const { receiver, tidemark } = await startTelemetry({ flushIntervalMs: 60_000 });
    receiver.mood = { status: 503 };
    note(tidemark, 1);
    const flushed = tidemark.flush();
    await receiver.until(() => receiver.requests.length >= 2);
    receiver.mood = { status: 202 };
    await flushed;
    expect([tidemark.stats.sent, tidemark.stats.dropped, receiver.records.length]).toEqual([2, 0, 2]);
  });

  test('splits a batch that is too large, down to the record that is', async () => {
    const { receiver, tidemark } = await startTelemetry({ flushIntervalMs: 60_000 });
    receiver.mood = { status: 413 };
    note(tidemark, 3);
    await tidemark.flush();
    expect(receiver.requests.map((request) => request.count)).toEqual([4, 2, 1, 1, 2, 1, 1]);
    expect(tidemark.stats.dropped).toBe(4);
  });

  test('gives up at once on a batch that is refused for good', async () => {
    const { receiver, tidemark } = await startTelemetry({ flushIntervalMs: 60_000 });
    receiver.mood = { status: 400 };
    await tidemark.flush();
    expect([receiver.requests.length, tidemark.stats.dropped]).toEqual([1, 1]);
  });

  test('takes nothing after close, and counts it', async () => {
    const { tidemark } = await startTelemetry();
    await tidemark.close();
    note(tidemark, 2);
    expect(tidemark.stats).toMatchObject({ sent: 1, dropped: 2, queued: 0 });
  });
});

describe('privacy', () => {
  test('session tokens can be sent as keyed hashes', async () => {
    const { receiver, tidemark } = await startTelemetry({ hashSessions: true });
    const store = tidemark.eventStore(new SessionEventLog({ sessionId: 'secret-token' }), { sessionId: 'secret-token' });
    await store.storeEvent('a', { jsonrpc: '2.0', method: 'x', params: { secret: 'body text' } });
    await tidemark.flush();
    expect(receiver.of('emit')[0]?.session).toMatch(/^h:[0-9a-f]{64}$/);
    expect(JSON.stringify(receiver.records)).not.toMatch(/secret-token|body text/);
  });

  test('equal texts have equal digests under one key and others under another', async () => {
    const [a, b, c] = [
      await startTelemetry({ hashKey: 'k' }),
      await startTelemetry({ hashKey: 'k' }),
      await startTelemetry({ hashKey: 'other' }),
    ];
    expect(a.tidemark.digest('x')).toBe(b.tidemark.digest('x'));
    expect(a.tidemark.digest('x')).not.toBe(c.tidemark.digest('x'));
  });
});

test.each(['ftp://127.0.0.1', 'no url'])('createTidemark refuses the url %s', (url) => {
  expect(() => createTidemark({ url, server: 's' })).toThrow(TypeError);
});

test.each([
  { name: 'key', options: { key: 'secret\n' }, message: /^key must not hold a line end/ },
  { name: 'key', options: { key: 'schlüssel-☃' }, message: /^key / },
  { name: 'node', options: { node: 'a\nb' }, message: /^node / },
  { name: 'node', options: { node: '節点' }, message: /^node / },
  { name: 'node', options: { node: '' }, message: /^node / },
])('createTidemark refuses a $name that no header may hold, over either transport', ({ options, message }) => {
  for (const transport of ['http', 'websocket'] as const) {
    const start = () => createTidemark({ url: 'http://127.0.0.1:1', server: 's', transport, ...options });
    expect(start).toThrow(TypeError);
    expect(start).toThrow(message);
  }
});
