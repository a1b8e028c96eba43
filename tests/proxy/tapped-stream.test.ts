import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { initialize, openStream } from '@/tests/proxy/raw-client';
import { frame } from '@/tests/proxy/scripted-upstream';
import { startProxy, until } from '@/tests/proxy/start-proxy';

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const INITIALIZED = '{"jsonrpc":"2.0","id":0,"result":{}}';
const chunk = (text: string, extension = ''): string => `${Buffer.byteLength(text).toString(16)}${extension}\r\n${text}\r\n`;

/** Writes pieces one by one, each after the one before it left, as packets of their own. */
async function writePieces(socket: Socket, pieces: readonly string[]): Promise<void> {
  for (const piece of pieces) {
    await new Promise<void>((resolve) => socket.write(piece, 'latin1', () => setImmediate(resolve)));
  }
}

/** A server that is no HTTP library: POSTs are initialized, a GET is answered with the given bytes. */
async function bareServer(answerGet: (socket: Socket, isReused: boolean) => unknown): Promise<string> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('error', () => undefined);
    let isReused = false;
    socket.on('data', (data) => {
      if (data.toString('latin1').startsWith('GET')) answerGet(socket, isReused);
      else {
        isReused = true;
        const head = ['HTTP/1.1 200 OK', 'content-type: application/json', 'mcp-session-id: s', `content-length: ${INITIALIZED.length}`];
        socket.write(`${head.join('\r\n')}\r\n\r\n${INITIALIZED}`);
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanups.push(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

async function streamThrough(answerGet: (socket: Socket, isReused: boolean) => unknown, replay: 'upstream' | 'proxy' = 'upstream') {
  const running = await startProxy({ upstream: await bareServer(answerGet), mode: 'enforce', replay });
  cleanups.push(running.stop);
  return openStream(running.url(), { headers: await initialize(running.url()) });
}

const HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n';
const BODY = `${frame('1')}: a comment\n\n${frame('2')}${frame('3')}`;

test.each(['upstream', 'proxy'] as const)('every cut of head and framing gives the same bytes, replay %s', async (replay) => {
  const wire = `HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n${HEAD}${chunk(BODY.slice(0, 20))}${chunk(BODY.slice(20), ';x=y')}0\r\nx-sum: 1\r\n\r\n`;
  for (const step of [1, 7, 64, wire.length]) {
    const pieces = Array.from({ length: Math.ceil(wire.length / step) }, (_, i) => wire.slice(i * step, (i + 1) * step));
    const stream = await streamThrough((socket) => writePieces(socket, pieces), replay);
    await until(() => stream.isEnded());
    expect([stream.bytes().toString(), stream.isCut()]).toEqual([BODY, false]);
  }
});

test('a body that ends with its connection is read to its end', async () => {
  const stream = await streamThrough((socket) => socket.end(`HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n${BODY}`));
  await until(() => stream.isEnded());
  expect(stream.bytes().toString()).toBe(BODY);
});

test('a framing that breaks cuts the stream: nothing after it can be told from garbage', async () => {
  const stream = await streamThrough((socket) => socket.write(`${HEAD}${chunk(frame('1'))}garbage\r\n${chunk(frame('2'))}`));
  await until(() => stream.isCut());
  expect(stream.events.map(({ id }) => id)).toEqual(['1']);
});

test('a client that stops reading gets every byte once it reads again', async () => {
  const events = Array.from({ length: 60_000 }, (_, i) => frame(String(i + 1)));
  const stream = await streamThrough((socket) => {
    socket.write(HEAD);
    for (let i = 0; i < events.length; i += 3) socket.write(chunk(events.slice(i, i + 3).join('')));
    socket.write('0\r\n\r\n');
  });
  stream.response.pause();
  await until(() => stream.response.readableLength > 0);
  stream.response.resume();
  await until(() => stream.isEnded());
  expect(stream.bytes().equals(Buffer.from(events.join('')))).toBe(true);
});

test('a stream flows over the connection that its session was opened on', async () => {
  const stream = await streamThrough((socket, isReused) => socket.write(`${HEAD}${chunk(frame(isReused ? 'same' : 'other'))}0\r\n\r\n`));
  await until(() => stream.isEnded());
  expect(stream.events.map(({ id }) => id)).toEqual(['same']);
});

test('a kept connection that the upstream closes under a GET costs the client nothing', async () => {
  const stream = await streamThrough((socket, isReused) =>
    isReused ? socket.resetAndDestroy() : socket.write(`${HEAD}${chunk(BODY)}0\r\n\r\n`),
  );
  await until(() => stream.isEnded());
  expect([stream.status, stream.bytes().toString()]).toEqual([200, BODY]);
});

test('an upstream that closes under every GET is asked twice, and the client is told', async () => {
  let asked = 0;
  const stream = await streamThrough((socket) => {
    asked++;
    socket.resetAndDestroy();
  });
  expect([stream.status, asked]).toEqual([502, 2]);
});
