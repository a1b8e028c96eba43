import { createServer } from 'node:http';
import { connect } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { PageProxy } from '@/server/page-proxy';
import { listen, stopServer, until } from '@/tests/proxy/start-proxy';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** A page proxy in front of a server that notes what it is asked; the renderer itself would answer the same connections. */
async function inFront() {
  const seen: string[] = [];
  const renderer = createServer((req, res) => {
    let body = '';
    req.on('data', (chunk: Buffer) => {
      body += chunk.toString('latin1');
    });
    req.on('end', () => {
      seen.push(`${req.method} ${req.url} ${body}`);
      res.end('page');
    });
  });
  const address = { host: '127.0.0.1', port: await listen(renderer) };
  const pages = new PageProxy({ whenListening: async () => address });
  const server = createServer((req, res) => void pages.serve(req, res));
  const port = await listen(server);
  cleanups.push(
    () => stopServer(renderer),
    () => pages.close(),
    () => stopServer(server),
  );
  return { port, seen };
}

async function send(port: number, bytes: string): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  let answer = '';
  socket.on('data', (chunk: Buffer) => {
    answer += chunk.toString('latin1');
  });
  socket.write(bytes);
  await until(() => answer.includes('page'));
  socket.destroy();
}

const HIDDEN = 'GET /hidden HTTP/1.1\r\nHost: x\r\n\r\n';
const LENGTH = `Content-Length: ${HIDDEN.length}\r\n\r\n${HIDDEN}`;
const CHUNKS = `Transfer-Encoding: chunked\r\n\r\n${HIDDEN.length.toString(16)}\r\n${HIDDEN}\r\n0\r\n\r\n`;

test.each([
  ['GET', LENGTH, ''],
  ['GET', CHUNKS, ''],
  ['HEAD', '\r\n', ''],
  ['DELETE', LENGTH, HIDDEN],
  ['DELETE', CHUNKS, HIDDEN],
  ['OPTIONS', CHUNKS, HIDDEN],
  ['POST', CHUNKS, HIDDEN],
  ['POST', `Connection: keep-alive, content-length\r\n${LENGTH}`, HIDDEN],
])('the body of a %s (%j) is no request of its own, and no part of the next one', async (method, rest, body) => {
  const { port, seen } = await inFront();
  const asked = `${method} /a HTTP/1.1\r\nHost: 127.0.0.1\r\n${rest}`;
  await (method === 'HEAD' ? send(port, `${asked}GET /a HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`) : send(port, asked));
  for (let i = 0; i < 3; i++) await send(port, 'GET /next HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
  const first = method === 'HEAD' ? ['HEAD /a ', 'GET /a '] : [`${method} /a ${body}`];
  expect(seen).toEqual([...first, 'GET /next ', 'GET /next ', 'GET /next ']);
});

test('a reader that takes nothing of a page is given up, and keeps no connection to the renderer from others', async () => {
  const renderer = createServer((_req, res) => void res.end(Buffer.alloc(32 * 1024 * 1024)));
  const address = { host: '127.0.0.1', port: await listen(renderer) };
  const pages = new PageProxy({ whenListening: async () => address }, 300);
  const server = createServer((req, res) => void pages.serve(req, res));
  const port = await listen(server);
  cleanups.push(
    () => stopServer(renderer),
    () => pages.close(),
    () => stopServer(server),
  );
  const reader = connect(port, '127.0.0.1');
  reader.on('error', () => undefined);
  cleanups.push(() => reader.destroy());
  reader.pause();
  reader.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  const connections = () => new Promise<number>((resolve) => renderer.getConnections((_cause, count) => resolve(count)));
  await expect.poll(connections).toBe(1);
  await expect.poll(connections).toBe(0);
});
