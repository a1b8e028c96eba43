import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect as connectSocket } from 'node:net';
import type { Duplex } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { WebSocketServer } from 'ws';
import { createTidemark, type TelemetryProblem, type Tidemark, type TidemarkOptions } from '../src/index.js';
import { HttpTransport } from '../src/telemetry/http-transport.js';
import { SocketTransport } from '../src/telemetry/socket-transport.js';
import { RecordingReceiver } from './recording-receiver';
import { opened, startTelemetry } from './stack';

const note = (tidemark: Tidemark, count: number) => {
  for (let n = 0; n < count; n++) tidemark.record({ type: 'client', session: 's', event: 'applied' });
};

/** A reporter that sends only when it is told to, with what it told. */
async function startQuiet(options: Partial<TidemarkOptions> = {}) {
  const problems: TelemetryProblem[] = [];
  const telemetry = await startTelemetry({ flushIntervalMs: 60_000, onProblem: (problem) => problems.push(problem), ...options });
  return { ...telemetry, problems, codes: () => problems.map(({ code }) => code) };
}

const TRANSPORTS = ['http', 'websocket'] as const;

describe.each(TRANSPORTS)('over %s', (transport) => {
  test('batches are numbered from 1 within one start of the producer, and say when that was', async () => {
    const before = Date.now();
    const { receiver, tidemark } = await startQuiet({ transport, maxBatchRecords: 2 });
    const after = Date.now();
    note(tidemark, 6);
    await tidemark.flush();
    const origins = receiver.requests.map(({ origin }) => origin);
    expect(origins).toMatchObject([1, 2, 3, 4].map((sequence) => ({ producer: 'n1', sequence, dropped: 0 })));
    expect(new Set(origins.map((origin) => origin?.epoch)).size).toBe(1);
    const [began = 0, ...others] = new Set(origins.map((origin) => origin?.began ?? 0));
    expect([others, began >= before, began <= after]).toEqual([[], true, true]);
    expect(receiver.problems).toEqual([]);
  });

  test('a batch that is sent again keeps its number, and is stored once', async () => {
    const { receiver, tidemark } = await startQuiet({ transport, timeoutMs: 100 });
    receiver.mood = 'hang';
    note(tidemark, 3);
    const flushed = tidemark.flush();
    await receiver.until(() => receiver.requests.length >= 2);
    receiver.mood = { status: 202 };
    await flushed;
    expect(new Set(receiver.requests.map(({ origin }) => origin?.sequence))).toEqual(new Set([1]));
    expect([receiver.records.length, tidemark.stats.sent, tidemark.stats.dropped]).toEqual([4, 4, 0]);
  });

  test('while the intake is away records wait, and that is told once', async () => {
    const { receiver, tidemark, codes } = await startQuiet({ transport, maxAttempts: 2, maxBatchRecords: 1, retryMaxMs: 10 });
    receiver.mood = { status: 503 };
    note(tidemark, 2);
    const flushed = tidemark.flush();
    await receiver.until(() => receiver.requests.length + receiver.upgrades >= 6);
    receiver.mood = { status: 202 };
    await flushed;
    expect([codes(), receiver.records.length, tidemark.stats.dropped]).toEqual([['intake_away'], 3, 0]);
  });

  test('an intake that goes away and comes back gets everything', async () => {
    const { receiver, tidemark } = await startQuiet({ transport, retryMaxMs: 20 });
    await tidemark.flush();
    const { port } = receiver;
    await receiver.close();
    note(tidemark, 5);
    const flushed = tidemark.flush();
    const back = opened(new RecordingReceiver());
    await back.listen(port);
    await flushed;
    expect([back.records.length, tidemark.stats.dropped]).toEqual([5, 0]);
  });

  test.each([401, 403])('a key that is refused with %i is told once, tried again slowly, and nothing is dropped', async (status) => {
    const { receiver, tidemark, codes } = await startQuiet({ transport, maxBatchRecords: 1, probeIntervalMs: 60_000 });
    receiver.mood = { status };
    note(tidemark, 3);
    await tidemark.flush();
    await tidemark.flush();
    expect([codes(), tidemark.stats.queued, receiver.requests.length + receiver.upgrades]).toEqual([['unauthorized'], 4, 2]);
    receiver.mood = { status: 202 };
    await tidemark.flush();
    expect([receiver.records.length, tidemark.stats.dropped]).toEqual([4, 0]);
  });

  test('a refused key is tried again by itself', async () => {
    const { receiver, tidemark } = await startQuiet({ transport, probeIntervalMs: 5 });
    receiver.mood = { status: 403 };
    await tidemark.flush();
    receiver.mood = { status: 202 };
    await receiver.until(() => receiver.records.length === 1);
  });

  test('nothing but the close itself keeps it from ending: what is left is counted', async () => {
    const { receiver, tidemark, codes } = await startQuiet({ transport });
    receiver.mood = { status: 401 };
    note(tidemark, 2);
    await tidemark.close(60_000);
    expect([codes(), tidemark.stats]).toMatchObject([['unauthorized', 'delivery_failed'], { queued: 0, dropped: 3, sent: 0 }]);
  });
});

describe('over a WebSocket', () => {
  test('one connection carries every batch, with the key', async () => {
    const { receiver, tidemark } = await startQuiet({ transport: 'websocket', maxBatchRecords: 10, key: 'secret' });
    note(tidemark, 200);
    await tidemark.flush();
    expect([receiver.upgrades, receiver.records.length, receiver.requests.length]).toEqual([1, 201, 21]);
    const ids = receiver.records.map((record) => record.id ?? '');
    expect(ids).toEqual([...ids].sort());
  });

  test('frames that were not acknowledged when the connection broke are sent again, and stored once', async () => {
    const { receiver, tidemark } = await startQuiet({ transport: 'websocket', maxBatchRecords: 10, timeoutMs: 60_000 });
    receiver.mood = 'hang';
    note(tidemark, 99);
    const flushed = tidemark.flush();
    await receiver.until(() => receiver.requests.length === 4);
    receiver.mood = { status: 202 };
    receiver.cut();
    await flushed;
    expect([receiver.upgrades, receiver.records.length, tidemark.stats.sent, tidemark.stats.dropped]).toEqual([2, 100, 100, 0]);
    expect(new Set(receiver.requests.map(({ origin }) => origin?.sequence)).size).toBe(10);
  });

  test('no more frames than the window wait for their acknowledgement', async () => {
    const { receiver, tidemark } = await startQuiet({ transport: 'websocket', maxBatchRecords: 1, timeoutMs: 60_000 });
    receiver.mood = 'hang';
    note(tidemark, 50);
    void tidemark.flush();
    await receiver.until(() => receiver.requests.length === 4);
    expect([receiver.requests.length, tidemark.stats.queued]).toEqual([4, 51]);
    await tidemark.close(1);
  });

  test('an intake without WebSocket gets HTTP instead, and that is told', async () => {
    const { receiver, tidemark, codes } = await startQuiet({ transport: 'websocket', retryBaseMs: 1 });
    receiver.mood = { status: 404 };
    const flushed = tidemark.flush();
    await receiver.until(() => receiver.upgrades === 1);
    receiver.mood = { status: 202 };
    await flushed;
    expect([codes()[0], receiver.records.length, receiver.requests[0]?.headers['content-type']]).toEqual([
      'transport_unavailable',
      1,
      'application/x-ndjson',
    ]);
  });
});

test.each([
  { name: 'seconds', value: () => '600' },
  { name: 'a date', value: () => new Date(Date.now() + 600_000).toUTCString() },
])('retry-after as $name is heeded: others come back often, this one does not', async ({ value }) => {
  const [asked, unasked] = [await startQuiet({ retryBaseMs: 1, retryMaxMs: 1 }), await startQuiet({ retryBaseMs: 1, retryMaxMs: 1 })];
  asked.receiver.mood = { status: 429, headers: { 'retry-after': value() } };
  unasked.receiver.mood = { status: 429 };
  void asked.tidemark.flush();
  await asked.receiver.until(() => asked.receiver.requests.length === 1);
  void unasked.tidemark.flush();
  await unasked.receiver.until(() => unasked.receiver.requests.length === 20);
  expect(asked.receiver.requests.length).toBe(1);
});

describe('a full queue', () => {
  test('drop_oldest keeps the newest and says what is missing before it', async () => {
    const { receiver, tidemark, codes } = await startQuiet({ maxQueuedRecords: 3, overflow: 'drop_oldest' });
    for (let n = 0; n < 10; n++) tidemark.record({ type: 'client', session: 's', event: 'applied', code: n });
    await tidemark.flush();
    expect(receiver.of('client').map((record) => record.code)).toEqual([7, 8, 9]);
    expect(receiver.records[0]).toMatchObject({ dropped_before: 8 });
    expect([codes(), tidemark.stats.dropped]).toEqual([['queue_full'], 8]);
  });

  test('a record above the byte bound is dropped alone, by either policy', async () => {
    for (const overflow of ['drop_oldest', 'drop_newest'] as const) {
      const { receiver, tidemark } = await startQuiet({ maxQueuedBytes: 600, overflow });
      await tidemark.flush();
      tidemark.record({ type: 'client', session: 'x'.repeat(900), event: 'applied' });
      note(tidemark, 1);
      await tidemark.flush();
      expect(receiver.of('client')).toMatchObject([{ session: 's', dropped_before: 1 }]);
    }
  });

  test('what no batch has told when telemetry is closed is told by a last one without records', async () => {
    const { receiver, tidemark } = await startQuiet();
    receiver.mood = { status: 400 };
    note(tidemark, 2);
    await tidemark.flush();
    receiver.mood = { status: 202 };
    await tidemark.close();
    expect(receiver.requests.at(-1)).toMatchObject({ count: 0, origin: { sequence: 2, dropped: 3 } });
    expect(tidemark.stats).toMatchObject({ queued: 0, sent: 0, dropped: 3 });
  });

  test('a batch that is given up is told by the next one', async () => {
    const { receiver, tidemark } = await startQuiet();
    receiver.mood = { status: 400 };
    await tidemark.flush();
    receiver.mood = { status: 202 };
    note(tidemark, 1);
    await tidemark.flush();
    expect(receiver.records).toMatchObject([{ type: 'client', dropped_before: 1 }]);
    expect(receiver.requests.at(-1)?.origin).toMatchObject({ sequence: 2, dropped: 1 });
  });
});

describe('what is not the intake has stored nothing, whatever it says', () => {
  const PAGE = '<!doctype html><title>Sign in</title>';
  test.each([
    { name: 'a page with 200', mood: { status: 200, headers: { 'content-type': 'text/html' }, body: PAGE } },
    { name: 'a page with 202', mood: { status: 202, body: PAGE } },
    { name: 'JSON of its own', mood: { status: 202, body: '{"ok":true}' } },
    { name: 'the answer of the intake under another status', mood: { status: 200, body: '{"accepted":3,"duplicate":0,"rejected":[]}' } },
    { name: 'nothing', mood: { status: 204, body: '' } },
  ])('over http: $name', async ({ mood }) => {
    const { receiver, tidemark, codes } = await startQuiet({ maxAttempts: 2, retryMaxMs: 10 });
    receiver.mood = mood;
    note(tidemark, 2);
    const flushed = tidemark.flush();
    await receiver.until(() => receiver.requests.length >= 5);
    expect([tidemark.stats.sent, tidemark.stats.dropped, codes()]).toEqual([0, 0, ['intake_away']]);
    receiver.mood = { status: 202 };
    await flushed;
    expect([receiver.records.length, tidemark.stats.sent, tidemark.stats.dropped]).toEqual([3, 3, 0]);
  });

  test.each([
    { name: 'its own frame', answer: (frame: string) => frame },
    { name: 'a bare number', answer: (frame: string) => JSON.stringify({ ack: JSON.parse(frame).seq }) },
  ])('over websocket: $name', async ({ answer }) => {
    const sockets = new WebSocketServer({ host: '127.0.0.1', port: 0 });
    await once(sockets, 'listening');
    const { port } = sockets.address() as AddressInfo;
    const answered = new Promise<void>((resolve) => {
      let frames = 0;
      sockets.on('connection', (socket) =>
        socket.on('message', (frame) => {
          socket.send(answer(String(frame)));
          frames += 1;
          if (frames === 3) resolve();
        }),
      );
    });
    const problems: TelemetryProblem[] = [];
    const tidemark = createTidemark({
      url: `http://127.0.0.1:${port}`,
      server: 's',
      transport: 'websocket',
      retryBaseMs: 1,
      retryMaxMs: 5,
      maxAttempts: 2,
      onProblem: (problem) => problems.push(problem),
    });
    note(tidemark, 2);
    const flushed = tidemark.flush();
    await answered;
    expect([tidemark.stats.sent, tidemark.stats.dropped, problems.map(({ code }) => code)]).toEqual([0, 0, ['intake_away']]);
    await tidemark.close(1);
    await flushed;
    for (const socket of sockets.clients) socket.terminate();
    sockets.close();
  });
});

test('a close whose time is over before it begins ends all the same, and counts what is left', async () => {
  const { tidemark } = await startQuiet();
  note(tidemark, 6);
  const { queued } = tidemark.stats;
  const closed = tidemark.close(1);
  // A busy process: the deadline is the first thing that it gets to.
  for (const until = performance.now() + 30; performance.now() < until; );
  await closed;
  expect([tidemark.stats.queued, tidemark.stats.sent, tidemark.stats.dropped]).toEqual([0, 0, queued]);
});

test('without a listener trouble goes to the warnings of the process', async () => {
  const warnings: Error[] = [];
  const listen = (warning: Error) => void warnings.push(warning);
  process.on('warning', listen);
  const receiver = opened(new RecordingReceiver());
  const tidemark = createTidemark({ url: await receiver.listen(), server: 's' });
  receiver.mood = { status: 401 };
  await tidemark.flush();
  await new Promise(setImmediate);
  process.off('warning', listen);
  await tidemark.close(1);
  expect(warnings.map((warning) => warning.name)).toContain('TidemarkWarning');
});

/** An intake by WebSocket that acknowledges frames when it is told to, in the order given. */
async function startAcknowledging() {
  const sockets = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  await once(sockets, 'listening');
  const frames: { readonly seq: number; readonly epoch: string; readonly records: readonly unknown[]; readonly ack: () => void }[] = [];
  const wakers: (() => void)[] = [];
  sockets.on('connection', (socket) =>
    socket.on('message', (text) => {
      const frame = JSON.parse(String(text));
      const ack = () => socket.send(JSON.stringify({ ack: frame.seq, accepted: frame.records.length, duplicate: 0, rejected: [] }));
      frames.push({ ...frame, ack });
      for (const wake of wakers.splice(0)) wake();
    }),
  );
  return opened({
    url: `http://127.0.0.1:${(sockets.address() as AddressInfo).port}`,
    frames,
    connections: () => sockets.clients.size,
    until: async (condition: () => boolean) => {
      while (!condition()) await new Promise<void>((resolve) => wakers.push(resolve));
    },
    close: async () => {
      for (const socket of sockets.clients) socket.terminate();
      sockets.close();
    },
  });
}

test('an acknowledgement settles the batch of its epoch: the batch of another with the same number waits until the number is free', async () => {
  const intake = await startAcknowledging();
  const target = { endpoint: new URL(`${intake.url}/api/v1/telemetry`), key: undefined, timeoutMs: 60_000 };
  const fallback = new HttpTransport(target);
  const transport = new SocketTransport({ ...target, fallback, onFallback: () => undefined });
  const { signal } = new AbortController();
  const sent: string[] = [];
  const send = async (epoch: string, sequence: number) => {
    const outcome = await transport.send({ origin: { producer: 'p', epoch, began: null, sequence, dropped: 0 }, lines: ['{}'] }, signal);
    sent.push(`${epoch}${sequence} ${outcome.kind}`);
  };
  // None is connected yet: all of them wait for the same connection.
  const all = Promise.all([send('old', 1), send('new', 1), send('old', 2)]);
  await intake.until(() => intake.frames.length === 2);
  expect(intake.frames.map(({ epoch, seq }) => `${epoch}${seq}`)).toEqual(['old1', 'old2']);
  intake.frames[0]?.ack();
  await intake.until(() => intake.frames.length === 3);
  expect([sent, intake.frames[2]?.epoch]).toEqual([['old1 stored'], 'new']);
  intake.frames[2]?.ack();
  intake.frames[1]?.ack();
  await all;
  expect(sent).toEqual(['old1 stored', 'new1 stored', 'old2 stored']);
  transport.close();
});

/** An intake in a process of its own that takes everything; while it is stopped the system takes connections for it up to its backlog. */
async function startStoppable() {
  const script = `require('node:http').createServer((request, response) => {
    let text = '';
    request.on('data', (chunk) => { text += chunk; }).on('end', () => {
      const accepted = text.split('\\n').length - 1;
      response.writeHead(202).end(JSON.stringify({ accepted, duplicate: 0, rejected: [] }));
    });
  }).listen({ host: '127.0.0.1', port: 0, backlog: 1 }, function () { process.send(this.address().port); })`;
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  opened({ close: async () => void child.kill('SIGKILL') });
  const [port] = (await once(child, 'message')) as [number];
  return { child, port, url: `http://127.0.0.1:${port}` };
}

/** Holds all the connections that a stopped process can be given: whatever else connects is not answered. */
async function fillBacklog(port: number): Promise<void> {
  const sockets = Array.from({ length: 6 }, () => connectSocket(port, '127.0.0.1').on('error', () => undefined));
  opened({
    close: async () => {
      for (const socket of sockets) socket.destroy();
    },
  });
  let connected = 0;
  await new Promise<void>((resolve) => {
    for (const socket of sockets) {
      socket.once('connect', () => {
        connected += 1;
        if (connected === 2) resolve();
      });
    }
  });
}

test.each(TRANSPORTS)(
  'over %s, an intake that takes no connection is away: batches wait for it, however often they were tried',
  async (transport) => {
    const { child, port, url } = await startStoppable();
    child.kill('SIGSTOP');
    await fillBacklog(port);
    let heard: (problem: TelemetryProblem) => void = () => undefined;
    const problem = new Promise<TelemetryProblem>((resolve) => {
      heard = resolve;
    });
    const options = { flushIntervalMs: 60_000, timeoutMs: 20, retryBaseMs: 1, retryMaxMs: 1, maxAttempts: 1, onProblem: heard } as const;
    const tidemark = createTidemark({ url, server: 's', transport, ...options });
    note(tidemark, 2);
    const flushed = tidemark.flush();
    expect(await problem).toMatchObject({ code: 'intake_away', message: expect.stringMatching(/no connection|timed out/) });
    expect(tidemark.stats).toMatchObject({ queued: 3, dropped: 0 });
    await tidemark.close(1);
    await flushed;
  },
);

test('an intake that takes a batch and never answers is given up on after the attempts', async () => {
  const { receiver, tidemark, problems } = await startQuiet({ timeoutMs: 200, maxAttempts: 1 });
  await tidemark.flush();
  receiver.mood = 'hang';
  note(tidemark, 1);
  await tidemark.flush();
  expect(problems).toMatchObject([{ code: 'delivery_failed', message: 'the intake did not answer within 200 ms' }]);
  expect(tidemark.stats).toMatchObject({ queued: 0, dropped: 1 });
});

test('an idle connection that the intake closes as the next batch is written costs nothing and is not told', async () => {
  const { receiver, tidemark, codes } = await startQuiet();
  await tidemark.flush();
  receiver.mood = 'drop';
  note(tidemark, 1);
  await tidemark.flush();
  expect([codes(), receiver.records.length, tidemark.stats.dropped]).toEqual([[], 2, 0]);
});

test('a redirection is not followed: what answers with it is not the intake', async () => {
  const elsewhere = opened(new RecordingReceiver());
  const { receiver, tidemark, codes } = await startQuiet({ key: 'secret' });
  receiver.mood = { status: 307, headers: { location: `${await elsewhere.listen()}/api/v1/telemetry` } };
  const flushed = tidemark.flush();
  await receiver.until(() => receiver.requests.length === 2);
  receiver.mood = { status: 202 };
  await flushed;
  expect([codes(), elsewhere.requests.length, receiver.records.length]).toEqual([['intake_away'], 0, 1]);
});

test.each([
  { name: 'the upgrade', isUpgraded: false },
  { name: 'anything but the upgrade', isUpgraded: true },
])('an intake that never answers $name keeps no sending from being aborted, and is left soon after the close', async ({ isUpgraded }) => {
  let tellAsked: (socket: Duplex) => void = () => undefined;
  const asked = new Promise<Duplex>((resolve) => {
    tellAsked = resolve;
  });
  const server = createServer().on('upgrade', (req: IncomingMessage, socket: Duplex) => {
    const accept = createHash('sha1').update(`${req.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
    const head = `HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-accept: ${accept}\r\n\r\n`;
    if (isUpgraded) socket.write(head);
    socket.on('error', () => undefined).once('data', () => tellAsked(socket));
    socket.on('end', () => socket.end()).resume();
    if (!isUpgraded) tellAsked(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  opened({ close: async () => void server.close() });
  const endpoint = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1/telemetry`);
  const target = { endpoint, key: undefined, timeoutMs: 60_000 };
  const transport = new SocketTransport({ ...target, fallback: new HttpTransport(target), onFallback: () => undefined });
  const closing = new AbortController();
  const origin = { producer: 'p', epoch: 'e', began: null, sequence: 1, dropped: 0 };
  const sent = transport.send({ origin, lines: ['{}'] }, closing.signal);
  const socket = await asked;
  const left = once(socket, 'close');
  closing.abort();
  expect(await sent).toMatchObject({ kind: 'retry', isAway: true, message: 'telemetry was closed' });
  transport.close();
  await left;
});
