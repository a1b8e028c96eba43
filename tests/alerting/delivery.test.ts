import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { queryDelivery } from '@/lib/query/alerting-log';
import { PostgresOutbox, resendDelivery } from '@/lib/store/alerting-outbox';
import { answer, type Receiver, startReceiver } from '@/tests/alerting/receiver';
import { enqueue, message, openWorld, stateOf, TestClock, webhook, workerFor } from '@/tests/alerting/world';
import { loopbackSender } from '@/tests/alerting/world-parts';

const world = openWorld();
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const HOUR_MS = 3_600_000;
const receivers: Receiver[] = [];

async function receiver(...given: Parameters<typeof startReceiver>): Promise<Receiver> {
  const started = await startReceiver(...given);
  receivers.push(started);
  return started;
}

afterEach(async () => {
  vi.useRealTimers();
  await Promise.all(receivers.splice(0).map((one) => one.stop()));
});

test('a message arrives once, signed as the reference verifier wants it, and its log says so', async () => {
  const clock = new TestClock();
  const sink = await receiver(SECRET);
  const channel = webhook(sink.url, { secret: SECRET });
  const worker = await workerFor(world, clock, [channel]);
  const delivery = message(channel.name);
  await enqueue(world, clock, [delivery]);
  expect(await worker.drain()).toBe(1);
  expect(await worker.drain()).toBe(0);
  expect(sink.requests).toMatchObject([{ id: delivery.id, body: delivery.body, isSigned: true }]);
  const logged = await queryDelivery(world.sql, delivery.id);
  expect(logged).toMatchObject({ state: 'delivered', attempts: 1, log: [{ number: 1, outcome: 'delivered', status: 204, error: null }] });
});

test('while a secret is rotated both verify, afterwards only the new one', async () => {
  const clock = new TestClock();
  const next = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';
  const sinks = [await receiver(SECRET), await receiver(next)];
  const channels = sinks.map((sink) => webhook(sink.url, { secret: next, previous: { secret: SECRET, untilMs: clock.nowMs + 1000 } }));
  const worker = await workerFor(world, clock, channels);
  const send = () =>
    enqueue(
      world,
      clock,
      channels.map(({ name }) => message(name)),
    );
  await send();
  await worker.drain();
  clock.advance(1000);
  await send();
  await worker.drain();
  expect(sinks.map(({ requests }) => requests.map(({ isSigned }) => isSigned))).toEqual([
    [true, false],
    [true, true],
  ]);
});

test('a receiver that is down for an hour gets every message once, in order, and is not hammered', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const clock = new TestClock();
  const sink = await receiver(SECRET, answer(503));
  const channel = webhook(sink.url, { secret: SECRET });
  const worker = await workerFor(world, clock, [channel]);
  const kinds = ['open', 'update', 'resolve'] as const;
  const deliveries = kinds.map((kind, index) => message(channel.name, { kind, body: JSON.stringify({ index }) }));
  await enqueue(world, clock, deliveries.slice(0, 1));
  for (let minute = 0; minute < 60; minute += 1) {
    if (minute === 10) await enqueue(world, clock, deliveries.slice(1, 2));
    if (minute === 20) await enqueue(world, clock, deliveries.slice(2));
    await worker.drain();
    clock.advance(60_000);
    vi.setSystemTime(clock.nowMs);
  }
  const during = sink.requests.length;
  expect(during).toBeGreaterThan(3);
  expect(during).toBeLessThan(12);
  expect(new Set(sink.requests.map(({ id }) => id))).toEqual(new Set([deliveries[0]?.id]));

  sink.behave = answer(200);
  for (let minute = 0; minute < 120; minute += 1) {
    await worker.drain();
    clock.advance(60_000);
    vi.setSystemTime(clock.nowMs);
  }
  // The update was never tried and gave way to the resolve.
  expect(sink.requests.slice(during).map(({ id }) => id)).toEqual([deliveries[0]?.id, deliveries[2]?.id]);
  expect(sink.requests.every(({ isSigned }) => isSigned)).toBe(true);
  expect(await stateOf(world.sql, deliveries[1]?.id ?? '')).toBe('superseded');
});

test('a receiver that flaps takes each message once', async () => {
  const clock = new TestClock();
  const taken: string[] = [];
  const sink = await receiver(null, (response, index, { id }) => {
    if (index % 2 === 1) taken.push(id);
    response.writeHead(index % 2 === 1 ? 200 : 500).end();
  });
  const channel = webhook(sink.url);
  const worker = await workerFor(world, clock, [channel]);
  const deliveries = Array.from({ length: 6 }, (_, index) => message(channel.name, { groupKey: `g${index}` }));
  await enqueue(world, clock, deliveries);
  for (let minute = 0; minute < 120; minute += 1) {
    await worker.drain();
    clock.advance(10_000);
  }
  expect(taken).toEqual(deliveries.map(({ id }) => id));
});

test('a slow receiver holds up nobody else', async () => {
  const clock = new TestClock();
  let release = (): void => undefined;
  const slow = await receiver(null, (response) => {
    release = () => response.writeHead(200).end();
  });
  const fast = await receiver();
  const channels = [webhook(slow.url), webhook(fast.url)];
  const worker = await workerFor(world, clock, channels);
  const [first, second] = channels.map(({ name }) => name);
  const toFast = [1, 2, 3].map((index) => message(second ?? '', { groupKey: `g${index}` }));
  await enqueue(world, clock, [message(first ?? ''), ...toFast]);
  const drained = worker.drain();
  await fast.arrived(3);
  await slow.arrived(1);
  release();
  expect(await drained).toBe(4);
});

test('a receiver that never answers is given up on, and tried again later', async () => {
  const clock = new TestClock();
  const sink = await receiver(null, (response, index) => {
    if (index > 0) response.writeHead(200).end();
  });
  const channel = webhook(sink.url);
  const worker = await workerFor(world, clock, [channel], { sender: loopbackSender(3_000) });
  const delivery = message(channel.name);
  await enqueue(world, clock, [delivery]);
  await worker.drain();
  expect((await queryDelivery(world.sql, delivery.id))?.log).toMatchObject([{ outcome: 'unavailable', status: null }]);
  clock.advance(5_000);
  await worker.drain();
  expect(await stateOf(world.sql, delivery.id)).toBe('delivered');
});

test('429 with Retry-After is obeyed to the second', async () => {
  const clock = new TestClock();
  const sink = await receiver(null, (response, index) => {
    if (index === 0) response.writeHead(429, { 'retry-after': '120' }).end();
    else response.writeHead(200).end();
  });
  const channel = webhook(sink.url);
  const worker = await workerFor(world, clock, [channel]);
  await enqueue(world, clock, [message(channel.name), message(channel.name, { groupKey: 'other' })]);
  await worker.drain();
  clock.advance(119_999);
  expect(await worker.drain()).toBe(0);
  clock.advance(1);
  expect(await worker.drain()).toBe(2);
  expect(sink.requests).toHaveLength(3);
});

test('410 disables the channel: nothing more is sent, what waits is dead, and can be sent again by hand', async () => {
  const clock = new TestClock();
  const sink = await receiver(null, answer(410));
  const channel = webhook(sink.url);
  const worker = await workerFor(world, clock, [channel]);
  const deliveries = [message(channel.name), message(channel.name, { groupKey: 'other' })];
  await enqueue(world, clock, deliveries);
  await worker.drain();
  await enqueue(world, clock, [message(channel.name, { groupKey: 'later' })]);
  clock.advance(24 * HOUR_MS);
  await worker.drain();
  expect(sink.requests).toHaveLength(1);
  for (const { id } of deliveries)
    expect(await queryDelivery(world.sql, id)).toMatchObject({ state: 'dead', dead_reason: 'endpoint_gone' });

  sink.behave = answer(200);
  await world.sql`update alert_endpoint set disabled_at = null where name = ${channel.name}`;
  const again = deliveries[0]?.id ?? '';
  expect(await resendDelivery(world.sql, again, clock.nowMs)).toBe(true);
  await worker.drain();
  expect(await stateOf(world.sql, again)).toBe('delivered');
  expect(sink.requests.filter(({ id }) => id === again)).toHaveLength(2);
});

test('a redirect is not followed', async () => {
  const clock = new TestClock();
  const inside = await receiver();
  const sink = await receiver(null, answer(307, { location: inside.url }));
  const channel = webhook(sink.url);
  const worker = await workerFor(world, clock, [channel]);
  const delivery = message(channel.name);
  await enqueue(world, clock, [delivery]);
  await worker.drain();
  expect([sink.requests.length, inside.requests.length]).toEqual([1, 0]);
  expect((await queryDelivery(world.sql, delivery.id))?.log).toMatchObject([{ outcome: 'unavailable', status: 307 }]);
});

test('garbage instead of HTTP is a failure like any other', async () => {
  const clock = new TestClock();
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end('\u0000\u0001 nonsense \r\n\r\n'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const channel = webhook(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  const worker = await workerFor(world, clock, [channel]);
  const delivery = message(channel.name);
  await enqueue(world, clock, [delivery]);
  await worker.drain();
  expect(await queryDelivery(world.sql, delivery.id)).toMatchObject({ state: 'pending', log: [{ outcome: 'unavailable', status: null }] });
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => server.close(resolve));
});

test('an answer without end is cut off, and its status counts', async () => {
  const clock = new TestClock();
  const sink = await receiver(null, (response) => {
    response.writeHead(200);
    const write = (): void => {
      while (!response.destroyed && response.write('x'.repeat(65_536)));
    };
    response.on('drain', write);
    response.on('error', () => undefined);
    write();
  });
  const channel = webhook(sink.url);
  const worker = await workerFor(world, clock, [channel]);
  const delivery = message(channel.name);
  await enqueue(world, clock, [delivery]);
  await worker.drain();
  const logged = await queryDelivery(world.sql, delivery.id);
  expect(logged?.state).toBe('delivered');
  expect(logged?.log[0]?.response_head).toHaveLength(512);
});

test('a message that is refused holds back its own group only', async () => {
  const clock = new TestClock();
  const sink = await receiver(null, (response, _index, { body }) => {
    response.writeHead(body.includes('poison') ? 400 : 200).end();
  });
  const channel = webhook(sink.url);
  const worker = await workerFor(world, clock, [channel]);
  const poison = message(channel.name, { groupKey: 'a', body: '"poison"' });
  const behind = message(channel.name, { groupKey: 'a', kind: 'resolve', body: '"resolve"' });
  const beside = message(channel.name, { groupKey: 'b', body: '"beside"' });
  await enqueue(world, clock, [poison, behind, beside]);
  await worker.drain();
  expect(sink.requests.map(({ id }) => id)).toEqual([poison.id, beside.id]);
  for (let step = 0; step < 60; step += 1) {
    clock.advance(HOUR_MS / 2);
    await worker.drain();
  }
  expect(await queryDelivery(world.sql, poison.id)).toMatchObject({ state: 'dead', dead_reason: 'attempts_exhausted', attempts: 11 });
  expect(await stateOf(world.sql, behind.id)).toBe('delivered');
});

test('what is older than a day and a bit is given up, so that the queue moves on', async () => {
  const clock = new TestClock();
  const channel = webhook('http://127.0.0.1:9/');
  const worker = await workerFor(world, clock, [channel]);
  const delivery = message(channel.name);
  await enqueue(world, clock, [delivery]);
  clock.advance(27 * HOUR_MS);
  await worker.expire();
  expect(await stateOf(world.sql, delivery.id)).toBe('pending');
  clock.advance(1);
  await worker.expire();
  expect(await queryDelivery(world.sql, delivery.id)).toMatchObject({ state: 'dead', dead_reason: 'too_old' });
});

test('many workers on one outbox send each message once and keep the order of every endpoint', async () => {
  const clock = new TestClock();
  const sinks = await Promise.all([1, 2, 3].map(() => receiver()));
  const channels = sinks.map(({ url }) => webhook(url));
  const workers = await Promise.all([1, 2, 3, 4].map(() => workerFor(world, clock, channels)));
  const deliveries = Array.from({ length: 60 }, (_, index) => message(channels[index % 3]?.name ?? '', { groupKey: `g${index}` }));
  await enqueue(world, clock, deliveries);
  await Promise.all(workers.map((worker) => worker.drain()));
  await Promise.all(workers.map((worker) => worker.drain()));
  for (const [index, sink] of sinks.entries()) {
    expect(sink.requests.map(({ id }) => id)).toEqual(deliveries.filter((_, at) => at % 3 === index).map(({ id }) => id));
  }
});

test('a lease that is held keeps others away until it runs out', async () => {
  const clock = new TestClock();
  const channel = webhook('http://127.0.0.1:9/');
  await workerFor(world, clock, [channel]);
  await enqueue(world, clock, [message(channel.name)]);
  const outbox = new PostgresOutbox(world.sql, world.transactions);
  const claim = () => outbox.claim([channel.name], 5, clock.nowMs, 60_000);
  expect(await claim()).toHaveLength(1);
  expect(await claim()).toHaveLength(0);
  clock.advance(60_000);
  expect(await claim()).toHaveLength(1);
});
