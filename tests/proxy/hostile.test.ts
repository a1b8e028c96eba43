import { connect, createServer } from 'node:net';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { fetchRaw, initialize, JSON_BODY, openStream, post, resume, rpc } from '@/tests/proxy/raw-client';
import { frame, openSse, type SeenRequest, scriptedUpstream, withSession } from '@/tests/proxy/scripted-upstream';
import { type RouteSpec, startProxy, until } from '@/tests/proxy/start-proxy';

/** What somebody may send who means harm. None of it reaches another request, another upstream or another session. */
const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const plain = ({ res }: SeenRequest): void => void res.writeHead(200, { 'content-type': 'application/json' }).end('{}');

function isJson(body: Buffer): boolean {
  try {
    JSON.parse(body.toString() || 'null');
    return true;
  } catch {
    return false;
  }
}

async function inFront(answer: (request: SeenRequest) => void = plain, spec: Partial<RouteSpec> = {}, timeouts = {}) {
  const known = withSession('S1', answer);
  const upstream = await scriptedUpstream((request) => (isJson(request.body) ? known(request) : answer(request)));
  cleanups.push(upstream.stop);
  const running = await startProxy({ upstream: upstream.url, mode: 'enforce', ...spec }, { timeouts });
  cleanups.push(running.stop);
  return { upstream, running, url: running.url(), port: Number(new URL(running.origin).port) };
}

/** Sends bytes as they are and reads until the peer ends the connection, or until it says what is waited for. */
async function sendBytes(port: number, bytes: string | Buffer, until_ = /\r\n\r\n/): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let answer = '';
  let isOver = false;
  socket.on('data', (chunk: Buffer) => {
    answer += chunk.toString('latin1');
  });
  socket.on('error', () => {
    isOver = true;
  });
  socket.on('close', () => {
    isOver = true;
  });
  socket.write(bytes);
  await until(() => isOver || until_.test(answer));
  socket.destroy();
  return answer;
}

const head = (...lines: string[]): string => `${['POST /proxy/r HTTP/1.1', 'Host: 127.0.0.1', ...lines].join('\r\n')}\r\n\r\n`;
const statusOf = (answer: string): number => Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 0);
const HIDDEN = 'POST /mcp HTTP/1.1\r\nHost: x\r\nContent-Length: 6\r\n\r\nhidden';

describe('a request hidden in another', () => {
  test.each([
    ['two lengths', head('Content-Length: 3', `Content-Length: ${HIDDEN.length}`) + HIDDEN],
    ['a length and chunks', `${head('Content-Length: 3', 'Transfer-Encoding: chunked')}0\r\n\r\n${HIDDEN}`],
    ['chunks that are spelt oddly', `${head('Transfer-Encoding : chunked')}0\r\n\r\n${HIDDEN}`],
    ['an encoding that nobody knows', `${head('Transfer-Encoding: xchunked')}0\r\n\r\n${HIDDEN}`],
    ['a length with a sign', head('Content-Length: +3') + HIDDEN],
    ['a line that is folded', `${head('X-A: b\r\n Content-Length: 3')}${HIDDEN}`],
    ['an encoding under the chunks', `${head('Transfer-Encoding: gzip, chunked')}0\r\n\r\n${HIDDEN}`],
    ['chunks with a parameter', `${head('Transfer-Encoding: chunked;a=b')}0\r\n\r\n${HIDDEN}`],
    ['a line feed alone', `POST /proxy/r HTTP/1.1\nHost: 127.0.0.1\nContent-Length: 0\n\n${HIDDEN}`],
  ])('%s: nothing of it goes on', async (_what, bytes) => {
    const { upstream, port } = await inFront();
    const answer = await sendBytes(port, bytes);
    expect([0, 400]).toContain(statusOf(answer));
    expect(upstream.seen).toEqual([]);
  });

  test.each(['GET', 'HEAD', 'DELETE', 'OPTIONS', 'PUT', 'POST'])('the chunked body of a %s stays its body', async (method) => {
    const { upstream, url, port } = await inFront();
    const chunked = `${HIDDEN.length.toString(16)}\r\n${HIDDEN}\r\n0\r\n\r\n`;
    await sendBytes(port, `${head('Transfer-Encoding: chunked').replace('POST', method)}${chunked}`);
    // What was left of it on a connection would be read as the beginning of the next request.
    for (let i = 0; i < 5; i++) expect((await post(url, {}, rpc(i, 'tools/list'))).status).toBe(200);
    expect(upstream.seen.map((request) => request.method)).toEqual([method, ...Array(5).fill('POST')]);
    expect(upstream.seen.slice(1).some(({ body }) => body.includes('hidden'))).toBe(false);
  });

  const MODERN = ['MCP-Protocol-Version: 2026-07-28', 'Accept: text/event-stream'];

  test.each([
    ['DELETE', 'content-length', []],
    ['DELETE', 'Content-Length', ['Mcp-Session-Id: S1']],
    ['OPTIONS', 'content-length', []],
    ['HEAD', ' content-length ', []],
    ['GET', 'CONTENT-LENGTH', MODERN],
    ['GET', 'content-length', []],
    ['PUT', 'content-length', []],
    ['POST', 'content-length', []],
    ['POST', 'transfer-encoding', []],
  ])('a %s whose length is said to be of this hop only (%s) goes nowhere', async (method, named, lines) => {
    const { upstream, url, port } = await inFront();
    const begun = head(`Connection: keep-alive, ${named}`, `Content-Length: ${HIDDEN.length}`, ...lines).replace('POST', method);
    const answer = await sendBytes(port, begun + HIDDEN);
    expect([statusOf(answer), method === 'HEAD' || answer.includes('ambiguous_request')]).toEqual([400, true]);
    for (let i = 0; i < 3; i++) expect((await post(url, {}, rpc(i, 'tools/list'))).status).toBe(200);
    expect(upstream.seen.map(({ url: path, body }) => [path, body.includes('hidden')])).toEqual(Array(3).fill(['/mcp', false]));
  });

  test.each([
    ['DELETE', []],
    ['OPTIONS', []],
    ['GET', MODERN],
    ['PUT', []],
  ])('a %s goes on with the length that it came with, and its body stays its body', async (method, lines) => {
    const { upstream, url, port } = await inFront();
    const begun = head('Connection: keep-alive, x-mine', 'X-Mine: 1', `Content-Length: ${HIDDEN.length}`, ...lines);
    await sendBytes(port, begun.replace('POST', method) + HIDDEN);
    for (let i = 0; i < 3; i++) expect((await post(url, {}, rpc(i, 'tools/list'))).status).toBe(200);
    expect(upstream.seen.map((request) => request.method)).toEqual([method, ...Array(3).fill('POST')]);
    expect([upstream.seen[0]?.body.toString(), upstream.seen[0]?.headers['x-mine']]).toEqual([HIDDEN, undefined]);
  });

  test.each([
    ['', {}],
    [' of a resume', { 'mcp-session-id': 'S1', 'last-event-id': 'a' }],
  ])('the body of a GET%s is not promised to an upstream that never gets it', async (_what, headers) => {
    const { upstream, url } = await inFront();
    await fetchRaw(url, { headers: { ...headers, 'content-length': '6' }, body: 'hidden' });
    expect(upstream.seen.filter(({ method }) => method === 'GET').map(({ headers: sent }) => sent['content-length'])).toEqual(
      Object.keys(headers).length === 0 ? [undefined] : [],
    );
    expect((await post(url, {}, rpc(1, 'tools/list'))).status).toBe(200);
  });
});

test.each(['Host', 'Origin', 'Authorization', 'Mcp-Session-Id', 'Last-Event-ID', 'MCP-Protocol-Version'])(
  'a second %s is refused: the upstream might go by the other one',
  async (name) => {
    const { upstream, port } = await inFront();
    const answer = await sendBytes(port, head(`${name}: 127.0.0.1`, `${name}: other`, 'Content-Length: 0'));
    expect(statusOf(answer)).toBe(400);
    expect(answer).toContain('ambiguous_request');
    expect(upstream.seen).toEqual([]);
  },
);

test.each([
  'Host',
  'Origin',
  'Authorization',
  'Cookie',
  'Mcp-Session-Id',
  'Last-Event-ID',
  'MCP-Protocol-Version',
  'Mcp-Method',
  'X-Api-Key',
])('a %s that is said to be of this hop only is refused: the upstream would decide without it', async (name) => {
  const { upstream, port } = await inFront(plain, { credentialHeaders: ['x-api-key', 'cookie:sid'] });
  const answer = await sendBytes(port, head('Connection: keep-alive', `Connection: x-mine,${name}`, 'Content-Length: 0'));
  expect([statusOf(answer), answer.includes('ambiguous_request')]).toEqual([400, true]);
  expect(upstream.seen).toEqual([]);
});

test.each([
  ['an absolute address', 'GET http://elsewhere.example/proxy/r HTTP/1.1'],
  ['a tunnel', 'CONNECT elsewhere.example:80 HTTP/1.1'],
  ['a path that climbs', 'GET /proxy/r/../../secret HTTP/1.1'],
  ['a path beyond the endpoint', 'GET /proxy/r/secret HTTP/1.1'],
  ['an address for a route', 'GET /proxy/http:%2f%2felsewhere.example HTTP/1.1'],
  ['a host after a route', 'GET /proxy/r@elsewhere.example HTTP/1.1'],
  ['a route that is no text', 'GET /proxy/%ff HTTP/1.1'],
  ['a document of a route that is no text', 'GET /.well-known/oauth-protected-resource/proxy/%ff HTTP/1.1'],
  ['a document that climbs', 'GET /.well-known/oauth-protected-resource/proxy/..%2fr HTTP/1.1'],
])('%s reaches no upstream', async (_what, line) => {
  const { upstream, url, port } = await inFront();
  const answer = await sendBytes(port, `${line}\r\nHost: 127.0.0.1\r\n\r\n`);
  expect([0, 400, 404]).toContain(statusOf(answer));
  expect(upstream.seen).toEqual([]);
  expect((await post(url, {}, rpc(1, 'tools/list'))).status).toBe(200);
});

test('what a query names stays a query of the endpoint', async () => {
  const { upstream, url } = await inFront();
  await fetchRaw(`${url}?upstream=http://elsewhere.example/&//x@y/%0d%0aHost:%20z`, { method: 'POST', headers: JSON_BODY, body: '{}' });
  expect(upstream.seen.map((request) => [request.url, request.headers.host])).toEqual([
    ['/mcp?upstream=http://elsewhere.example/&//x@y/%0d%0aHost:%20z', new URL(upstream.url).host],
  ]);
});

test('an upgrade goes on as the plain request that it is, and an upstream that switches protocols unasked is refused', async () => {
  const { upstream, port } = await inFront();
  await sendBytes(port, `${head('Upgrade: websocket', 'Connection: Upgrade', 'Content-Length: 2').replace('POST', 'PUT')}{}`);
  expect(upstream.seen[0]?.headers['upgrade']).toBeUndefined();
  const switching = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\nfreely'));
  });
  await new Promise<void>((resolve) => switching.listen(0, '127.0.0.1', resolve));
  cleanups.push(() => new Promise((resolve) => switching.close(() => resolve())));
  const address = switching.address();
  const running = await startProxy({
    upstream: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/mcp`,
    mode: 'enforce',
  });
  cleanups.push(running.stop);
  for (const method of ['GET', 'POST']) expect((await fetchRaw(running.url(), { method })).status).toBe(502);
});

describe('cursors', () => {
  test('whatever bytes a cursor has, it is answered with a refusal, and the proxy lives', async () => {
    const { url, port } = await inFront((request) => {
      if (request.method === 'GET') openSse(request.res).write(frame('a'));
      else plain(request);
    });
    const session = await initialize(url);
    const names = Object.entries(session).map(([name, value]) => `${name}: ${value}`);
    const asked = async (cursor: Buffer): Promise<number> => {
      const before = head(...names, 'Accept: text/event-stream')
        .replace('POST', 'GET')
        .slice(0, -2);
      return statusOf(await sendBytes(port, Buffer.concat([Buffer.from(`${before}Last-Event-ID: x`), cursor, Buffer.from('\r\n\r\n')])));
    };
    for (const byte of [0, 1, 9, 10, 11, 13, 27, 31, 127, 128, 255]) expect([0, 400, 409]).toContain(await asked(Buffer.from([byte, 120])));
    const bytes = fc.uint8Array({ minLength: 1, maxLength: 64 }).map((array) => Buffer.from(array));
    await fc.assert(
      fc.asyncProperty(bytes, async (cursor) => {
        expect([0, 400, 404, 409]).toContain(await asked(cursor));
      }),
      { numRuns: 60 },
    );
    expect(await asked(Buffer.from('\r\nMcp-Session-Id: other'))).toBe(400);
    expect((await post(url, session, rpc(1, 'tools/list'))).status).toBe(200);
  });

  test('an id of the upstream that cannot be a header is not asked for: its cursor is refused by name', async () => {
    const { url, upstream } = await inFront(
      ({ res }) => {
        openSse(res).write(frame('a') + frame('b\u0001'));
        res.end();
      },
      { replay: 'proxy' },
    );
    const session = await initialize(url);
    const stream = await openStream(url, { headers: session });
    await until(stream.isEnded);
    const answer = await resume(url, session, 'a');
    expect(answer.status).toBe(409);
    answer.close();
    expect(upstream.seen.filter(({ headers }) => headers['last-event-id'] !== undefined)).toEqual([]);
  });

  test("another one's session costs as much as none: same bytes, same questions to the upstream", async () => {
    const { url, upstream } = await inFront(({ res, method }) => {
      if (method === 'GET') openSse(res).write(frame('a'));
      else plain({ res } as SeenRequest);
    });
    const session = await initialize(url, { authorization: 'Bearer owner' });
    const stream = await openStream(url, { headers: session });
    await until(() => stream.events.length === 1);
    const answer = upstream.answer;
    upstream.answer = (request) =>
      request.headers.authorization === 'Bearer other' ? void request.res.writeHead(404).end() : answer(request);
    const asked = async (token: string) => {
      const before = upstream.seen.length;
      const headers = { ...session, authorization: 'Bearer other', 'mcp-session-id': token, 'last-event-id': 'a' };
      const { status, rawHeaders, body } = await fetchRaw(url, { headers });
      const kept = rawHeaders.filter((_, i) => rawHeaders[i - (i % 2)]?.toLowerCase() !== 'date');
      return { status, kept, body, questions: upstream.seen.slice(before).map(({ method, body: sent }) => [method, sent.toString()]) };
    };
    const foreign = await asked('S1');
    expect(foreign.status).toBe(404);
    expect(await asked('a token that never was')).toEqual(foreign);
    stream.close();
  });
});

describe('too much, or too slowly', () => {
  test('headers that are too large are refused, of a client and of an upstream', async () => {
    const { url, upstream } = await inFront();
    expect((await fetchRaw(url, { headers: { 'x-large': 'x'.repeat(60_000) } })).status).toBe(431);
    upstream.answer = ({ res }) => void res.writeHead(200, { 'x-large': 'x'.repeat(100_000) }).end();
    for (const method of ['GET', 'POST']) expect((await fetchRaw(url, { method })).status).toBe(502);
  });

  test.each([
    ['announced', 'Content-Length: 100'],
    ['in chunks', 'Transfer-Encoding: chunked'],
    ['that is large', 'Content-Length: 50000000'],
  ])('a body %s that stands still is not waited for', async (_what, framing) => {
    const { upstream, port, url } = await inFront(plain, {}, { bodyPauseMs: 1_000 });
    const answer = await sendBytes(port, `${head(framing)}${framing.includes('chunked') ? '2\r\n{}\r\n' : '{'}`, /request_timeout/);
    expect([statusOf(answer), answer.includes('request_timeout')]).toEqual([408, true]);
    await until(() => upstream.seen.every(({ isAborted }) => isAborted));
    expect((await post(url, {}, rpc(1, 'tools/list'))).status).toBe(200);
  });
});
