import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import type { Intake } from '@/lib/intake/intake';
import { type SocketLimits, TelemetrySockets } from '@/lib/intake/telemetry-sockets';
import { codedRefusal, refusalOfFrame } from '@/server/coded-error';
import { openSocket } from './socket-client';

interface World {
  readonly sockets: TelemetrySockets;
  readonly base: string;
  readonly port: number;
  nowMs: number;
}

const MIB = 1024 * 1024;
const opened: { close: () => Promise<void> }[] = [];

afterEach(async () => {
  for (const { close } of opened.splice(0)) await close();
});

/** The sockets alone behind a real server, with a clock that the test moves and an intake that takes everything. */
async function openWorld(limits: Partial<SocketLimits> = {}, submit: Intake['submitBatch'] = takeAll): Promise<World> {
  const parts = {
    submit,
    refusalOfFrame,
    refusalOfCause: (cause: unknown) => codedRefusal(cause, () => undefined),
    now: () => world.nowMs,
  };
  const sockets = new TelemetrySockets(parts, { connectionsMax: 10, bytesMax: MIB, answerBytesMax: MIB, ...limits });
  const server = createServer();
  server.on('upgrade', (request, socket, head) => {
    const id = request.headers.authorization ?? 'a key';
    sockets.accept(request, socket, head, { id, project: null });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const world = { sockets, base: `http://127.0.0.1:${port}`, port, nowMs: 1_796_000_000_000 };
  opened.push({
    close: async () => {
      await sockets.close();
      server.close();
    },
  });
  return world;
}

const takeAll: Intake['submitBatch'] = async ({ values }) => ({ accepted: values.length, duplicate: 0, rejected: [] });

/** A peer that completes the handshake and then does only what the test says: it answers no ping. */
async function openMute({ port }: World): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  const key = randomBytes(16).toString('base64');
  socket.write(`GET / HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\n`);
  socket.write(`sec-websocket-key: ${key}\r\n\r\n`);
  await once(socket, 'data');
  return socket;
}

/** A whole text frame under a mask of zeros, or a part of one in several. */
function smallFrame(text: string, first = 0x81): Buffer {
  return Buffer.concat([Buffer.from([first, 0x80 | text.length, 0, 0, 0, 0]), Buffer.from(text)]);
}

/** The first `sent` bytes of a text frame of `length` spaces, under a mask of zeros. */
function beginningOfFrame(length: number, sent: number): Buffer {
  const head = Buffer.alloc(14);
  head[0] = 0x81;
  head[1] = 0x80 | 127;
  head.writeBigUInt64BE(BigInt(length), 2);
  return Buffer.concat([head, Buffer.alloc(sent, ' ')]);
}

describe('a connection', () => {
  test('whose peer answers no ping is cut at the next look, one that answers is not', async () => {
    const world = await openWorld();
    const mute = await openMute(world);
    const client = await openSocket(world.base);
    const pinged = once(client.socket, 'ping');
    const cut = once(mute, 'close');
    mute.resume();
    world.sockets.check();
    await pinged;
    client.send({ seq: 1, records: [] });
    await client.answer();
    world.sockets.check();
    await cut;
    expect(world.sockets.size).toBe(1);
    client.send({ seq: 2, records: [] });
    expect(await client.answer()).toMatchObject({ ack: 2 });
    client.socket.terminate();
  });

  test('whose answers fill the room of its key unread ends with 4408, and those of other keys are answered', async () => {
    const rejected = Array.from({ length: 10_000 }, (_, index) => ({ index, path: '', message: 'x'.repeat(80) }));
    const submit = async () => ({ accepted: 0, duplicate: 0, rejected });
    const world = await openWorld({ connectionsMax: 40, answerBytesMax: 8 * MIB }, submit);
    const mutes: Socket[] = [];
    // Each leaves less unread than one connection may.
    for (let i = 0; i < 12; i++) {
      const mute = await openMute(world);
      mute.on('error', () => undefined);
      mute.pause();
      for (let seq = 1; seq <= 5; seq++) mute.write(smallFrame(`{"seq":${seq},"records":[]}`));
      mutes.push(mute);
    }
    await expect.poll(() => world.sockets.size).toBeLessThan(12);
    const quiet = await openSocket(world.base, { authorization: 'another key' });
    quiet.send({ seq: 1, records: [] });
    expect(await quiet.answer()).toMatchObject({ ack: 1 });
    quiet.socket.terminate();
    for (const mute of mutes) mute.destroy();
    await expect.poll(() => world.sockets.size).toBe(0);
    const again = await openSocket(world.base);
    for (let seq = 1; seq <= 9; seq++) {
      again.send({ seq, records: [] });
      expect(await again.answer()).toMatchObject({ ack: seq });
    }
    again.socket.terminate();
  });

  test('of whose answers nothing is read for four looks ends with 4408, whatever it sends', async () => {
    const rejected = Array.from({ length: 100_000 }, (_, index) => ({ index, path: '', message: 'x'.repeat(80) }));
    const submit = async () => ({ accepted: 0, duplicate: 0, rejected });
    const world = await openWorld({ answerBytesMax: 64 * MIB }, submit);
    const mute = await openMute(world);
    mute.pause();
    mute.write(smallFrame('{"seq":1,"records":[]}'));
    const client = await openSocket(world.base);
    client.send({ seq: 1, records: [] });
    await client.answer();
    const pong = smallFrame('', 0x8a);
    for (let look = 1; look <= 5; look++) {
      mute.write(pong);
      const pinged = once(client.socket, 'ping');
      expect(world.sockets.size).toBe(2);
      world.sockets.check();
      await pinged;
      client.send({ seq: 1 + look, records: [] });
      await client.answer();
    }
    await expect.poll(() => world.sockets.size).toBe(1);
    client.socket.terminate();
    mute.destroy();
  });

  test('whose frame has not arrived whole after a minute ends with 4408', async () => {
    const world = await openWorld();
    const mute = await openMute(world);
    const frames: Buffer[] = [];
    mute.on('data', (chunk: Buffer) => frames.push(chunk));
    mute.write(beginningOfFrame(1_000, 10));
    const client = await openSocket(world.base);
    client.send({ seq: 1, records: [] });
    await client.answer();
    world.nowMs += 60_001;
    world.sockets.check();
    await once(mute, 'close');
    const received = Buffer.concat(frames);
    expect(received.readUInt16BE(received.indexOf(Buffer.from([0x88])) + 2)).toBe(4408);
    expect(received.toString('latin1')).toContain('request_timeout');
    client.socket.terminate();
  });

  test.each([
    { name: 'one frame', whole: [smallFrame('{"seq":1,"records":[]}')] },
    { name: 'parts with a ping between', whole: [smallFrame('{"seq":1,', 0x01), smallFrame('', 0x89), smallFrame('"records":[]}', 0x80)] },
  ])('whose next frame begins behind $name and goes no further ends with 4408', async ({ whole }) => {
    const world = await openWorld();
    const mute = await openMute(world);
    const frames: Buffer[] = [];
    mute.on('data', (chunk: Buffer) => frames.push(chunk));
    const received = () => Buffer.concat(frames).toString('latin1');
    mute.write(Buffer.concat([...whole, beginningOfFrame(1_000, 10)]));
    await expect.poll(received).toContain('"ack":1');
    world.nowMs += 60_001;
    world.sockets.check();
    await once(mute, 'close');
    expect(received()).toContain('request_timeout');
  });

  test('of which nothing is left unread may be silent for long', async () => {
    const world = await openWorld();
    const client = await openSocket(world.base);
    client.send({ seq: 1, records: [] });
    await client.answer();
    world.nowMs += 60_001;
    world.sockets.check();
    client.send({ seq: 2, records: [] });
    expect(await client.answer()).toMatchObject({ ack: 2 });
    client.socket.terminate();
  });

  test('beyond the bound of connections ends with 1013, and there is room again after another has gone', async () => {
    const world = await openWorld({ connectionsMax: 1 });
    const first = await openSocket(world.base);
    const second = await openSocket(world.base);
    expect(await second.closed).toMatchObject({ code: 1013, reason: expect.stringMatching(/^intake_full/) });
    first.socket.close();
    await expect.poll(() => world.sockets.size).toBe(0);
    const third = await openSocket(world.base);
    third.send({ seq: 1, records: [] });
    expect(await third.answer()).toMatchObject({ ack: 1 });
    third.socket.terminate();
  });
});

describe('beginnings of frames', () => {
  const BYTES_MAX = 1024 * 1024;

  /** So many connections of one key, each with the beginning of a frame that never ends. */
  async function openNoise(world: World, count: number): Promise<Socket[]> {
    const mutes: Socket[] = [];
    for (let i = 0; i < count; i++) {
      const mute = await openMute(world);
      mute.resume();
      mute.write(beginningOfFrame(200_000, 150_000));
      mutes.push(mute);
    }
    return mutes;
  }

  test('are bounded over all connections, and what they held is given back', async () => {
    const world = await openWorld({ bytesMax: BYTES_MAX });
    const mutes = await openNoise(world, 6);
    await Promise.race(mutes.map((mute) => once(mute, 'close')));
    for (const mute of mutes) mute.destroy();
    await expect.poll(() => world.sockets.size).toBe(0);
    const client = await openSocket(world.base);
    for (let seq = 1; seq <= 20; seq++) {
      client.send({ seq, records: ['x'.repeat(350_000)] });
      expect(await client.answer()).toMatchObject({ ack: seq });
    }
    client.socket.terminate();
  });

  test.each([
    { name: 'another key', headers: { authorization: 'another key' } },
    { name: 'the same key', headers: {} },
  ])('that fill the share of a key stand in the way of no whole frame of $name', async ({ headers }) => {
    const world = await openWorld({ bytesMax: BYTES_MAX });
    const mutes = await openNoise(world, 6);
    await Promise.race(mutes.map((mute) => once(mute, 'close')));
    const client = await openSocket(world.base, headers);
    for (let seq = 1; seq <= 20; seq++) {
      client.send({ seq, records: ['x'.repeat(120_000)] });
      expect(await client.answer()).toMatchObject({ ack: seq });
    }
    expect(client.socket.readyState).toBe(client.socket.OPEN);
    client.socket.terminate();
    for (const mute of mutes) mute.destroy();
  });

  test('that found no room go on when others of their key are stored', async () => {
    const stored: (() => void)[] = [];
    const hold: Intake['submitBatch'] = async ({ values }) => {
      await new Promise<void>((resolve) => stored.push(resolve));
      return { accepted: values.length, duplicate: 0, rejected: [] };
    };
    const world = await openWorld({ bytesMax: BYTES_MAX }, hold);
    const first = await openSocket(world.base);
    first.send({ seq: 1, records: ['x'.repeat(350_000)] });
    await expect.poll(() => stored.length).toBe(1);
    const second = await openSocket(world.base);
    second.send({ seq: 2, records: ['x'.repeat(350_000)] });
    const third = await openSocket(world.base, { authorization: 'another key' });
    third.send({ seq: 3, records: [] });
    await expect.poll(() => stored.length).toBe(2);
    stored[1]?.();
    expect(await third.answer()).toMatchObject({ ack: 3 });
    stored[0]?.();
    expect(await first.answer()).toMatchObject({ ack: 1 });
    await expect.poll(() => stored.length).toBe(3);
    stored[2]?.();
    expect(await second.answer()).toMatchObject({ ack: 2 });
    for (const { socket } of [first, second, third]) socket.terminate();
  });
});

test('one key has three quarters of the connections, and there is room for another', async () => {
  const world = await openWorld({ connectionsMax: 8 });
  const noisy = await Promise.all(Array.from({ length: 8 }, () => openSocket(world.base)));
  const turnedAway = await Promise.race(noisy.map(({ closed }) => closed));
  expect(turnedAway).toMatchObject({ code: 1013, reason: expect.stringMatching(/^intake_full/) });
  await expect.poll(() => world.sockets.size).toBe(6);
  const quiet = await openSocket(world.base, { authorization: 'another key' });
  quiet.send({ seq: 1, records: [] });
  expect(await quiet.answer()).toMatchObject({ ack: 1 });
  for (const { socket } of [...noisy, quiet]) socket.terminate();
});
