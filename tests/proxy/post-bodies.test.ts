import { createServer, request } from 'node:http';
import { connect } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { fetchRaw, initialize, JSON_BODY, openStream, post, postStream, resume, rpc } from '@/tests/proxy/raw-client';
import { frame, openSse, resultFor, type SeenRequest, scriptedUpstream, withSession } from '@/tests/proxy/scripted-upstream';
import { listen, type RouteSpec, startProxy, stopServer, until } from '@/tests/proxy/start-proxy';

/** A POST is read for its methods and ids however its body is framed and however large it is. */
const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function inFront(spec: Partial<RouteSpec> = {}, timeouts = {}) {
  const calls: SeenRequest[] = [];
  const known = withSession(`S-${Math.random()}`, (request) => {
    calls.push(request);
    openSse(request.res).write(frame('p1') + frame('p2'));
  });
  const upstream = await scriptedUpstream(known);
  cleanups.push(upstream.stop);
  const running = await startProxy({ upstream: upstream.url, mode: 'enforce', refusal: 'auto', ...spec }, { timeouts });
  cleanups.push(running.stop);
  return { upstream, running, calls, url: running.url(), port: Number(new URL(running.origin).port) };
}

/** Sends a body in chunks, without announcing its length. */
function chunked(url: string, headers: Record<string, string>, pieces: readonly string[]) {
  return new Promise<{ status: number; token: string | undefined; body: string }>((resolve, reject) => {
    const sent = request(
      url,
      { method: 'POST', agent: false, headers: { ...JSON_BODY, accept: 'application/json, text/event-stream', ...headers } },
      async (response) => {
        const token = response.headers['mcp-session-id'];
        let body = '';
        try {
          for await (const chunk of response) body += chunk;
        } catch (error) {
          reject(error);
        }
        resolve({ status: response.statusCode ?? 0, token: typeof token === 'string' ? token : undefined, body });
      },
    );
    sent.on('error', reject);
    for (const piece of pieces) sent.write(piece);
    sent.end();
  });
}

const INITIALIZE = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '0' } };
const large = 'x'.repeat(3 * 1024 * 1024);
const reasonOf = (body: string): string => JSON.parse(body).error.data.reason;

const FRAMINGS = [
  ['in chunks', (text: string) => [text.slice(0, 9), text.slice(9)], false],
  ['of 3 MiB, in chunks', (text: string) => text.match(/[\s\S]{1,100000}/g) ?? [], true],
] as const;

describe.each(FRAMINGS)('a POST %s', (_what, pieces, isLarge) => {
  const padded = (params: object) => (isLarge ? { ...params, blob: large } : params);

  test('that initializes begins a generation: cursors of the one before are refused by name', async () => {
    const { url } = await inFront({ refusal: 'status' });
    const session = await initialize(url);
    const stream = await openStream(url, { headers: session });
    await until(() => stream.events.length === 2);
    stream.close();
    const again = await chunked(url, {}, pieces(rpc(0, 'initialize', padded(INITIALIZE))));
    expect([again.status, again.token]).toEqual([200, session['mcp-session-id']]);
    const refused = await fetchRaw(url, { headers: { ...session, 'last-event-id': 'p2' } });
    expect([refused.status, reasonOf(refused.body)]).toEqual([409, 'generation_mismatch']);
  });

  test('that calls a tool is a pending call: the terminal error settles it', async () => {
    const { url, upstream, calls, running } = await inFront({ buffer: { events: 2, bytes: 1000, ttlMs: 60_000 } });
    const session = await initialize(url);
    const sent = rpc(7, 'tools/call', padded({ name: 't' }));
    const answer = chunked(url, session, pieces(sent)).catch(() => null);
    await until(() => calls.length === 1);
    expect(upstream.seen.at(-1)?.body.toString()).toBe(sent);
    calls[0]?.res.write(frame('p3') + frame('p4'));
    await until(() => running.proxy.routes()[0]?.events === 4);
    calls[0]?.res.destroy();
    await answer;
    const resumed = await resume(url, session, 'p1');
    await until(resumed.isEnded);
    expect(resumed.status).toBe(200);
    expect(resumed.events.map(({ data }) => JSON.parse(data))).toMatchObject([
      { id: 7, error: { code: -32010, data: { reason: 'below_floor' } } },
    ]);
  });
});

test('a POST over 1 MiB that announces its length is read too', async () => {
  const { url, running } = await inFront();
  const session = await initialize(url);
  const stream = await postStream(url, session, rpc('big', 'tools/call', { name: 't', blob: large }));
  await until(() => stream.events.length === 2);
  stream.close();
  const told = await until(() => running.records.find((record) => record.type === 'request' && record.rpc?.id === 'big'));
  expect(told).toMatchObject({ rpc: { type: 'request', method: 'tools/call', id: 'big' }, tool: 't' });
});

describe('a batch', () => {
  const batch = `[${rpc(7, 'tools/call', { name: 'a' })},${rpc(null, 'notifications/x')},${rpc('7', 'tools/call', { name: 'b' })}]`;

  test('waits for each of its calls: what is answered is answered, the terminal error settles the rest', async () => {
    const { url, calls, running } = await inFront({ buffer: { events: 2, bytes: 1000, ttlMs: 60_000 } });
    const session = await initialize(url);
    const stream = await postStream(url, session, batch);
    await until(() => stream.events.length === 2);
    calls[0]?.res.write(frame('p3', resultFor(7)) + frame('p4'));
    await until(() => stream.events.length === 4);
    calls[0]?.res.destroy();
    await until(stream.isCut);
    const resumed = await resume(url, session, 'p1');
    await until(resumed.isEnded);
    expect(resumed.events.map(({ data }) => JSON.parse(data).id)).toEqual(['7']);
    const told = running.records.filter((record) => record.type === 'request' && record.tool != null);
    expect(told).toMatchObject([
      { tool: 'a', rpc: { id: 7 } },
      { tool: 'b', rpc: { id: '7' } },
    ]);
  });

  test('none of whose calls was answered gets an error for each, under ids that resume nothing', async () => {
    const { url, calls } = await inFront({ buffer: { events: 2, bytes: 1000, ttlMs: 60_000 } });
    const session = await initialize(url);
    const stream = await postStream(url, session, batch);
    await until(() => stream.events.length === 2);
    calls[0]?.res.write(frame('p3') + frame('p4'));
    await until(() => stream.events.length === 4);
    calls[0]?.res.destroy();
    await until(stream.isCut);
    const resumed = await resume(url, session, 'p1');
    await until(resumed.isEnded);
    expect(resumed.events.map(({ data }) => JSON.parse(data).id)).toEqual([7, '7']);
    for (const { id } of resumed.events)
      expect((await fetchRaw(url, { headers: { ...session, 'last-event-id': id ?? '' } })).status).toBe(405);
  });

  test('is over with the last of its answers, and not before', async () => {
    const { url, calls } = await inFront({ replay: 'proxy' });
    const session = await initialize(url);
    const stream = await postStream(url, session, batch);
    await until(() => stream.events.length === 2);
    calls[0]?.res.write(frame('p3', resultFor(7)));
    await until(() => stream.events.length === 3);
    stream.close();
    const early = await resume(url, session, 'p2');
    await until(() => early.events.length === 1);
    calls[0]?.res.end(frame('p4', resultFor('7')));
    await until(early.isEnded);
    const late = await resume(url, session, 'p1');
    await until(late.isEnded);
    expect(late.events.map(({ id }) => id)).toEqual(['p2', 'p3', 'p4']);
  });
});

describe('a body that goes wrong', () => {
  test.each([
    ['announced', (port: number) => write(port, ['Content-Length: 4000'], 'x'.repeat(3000))],
    ['in chunks', (port: number) => write(port, ['Transfer-Encoding: chunked'], `bb8\r\n${'x'.repeat(3000)}\r\n`)],
  ])('%s, and larger than the route takes: refused by name, whatever was sent of it', async (_what, send) => {
    const { port, url, upstream } = await inFront({ bodyBytesMax: 2000 });
    expect(await send(port)).toMatch(/^HTTP\/1\.1 413 [\s\S]*body_too_large/);
    await until(() => upstream.seen.every(({ isAborted }) => isAborted));
    expect((await post(url, {}, rpc(null, 'notifications/x'))).status).toBe(202);
  });

  test('that trickles without an end is closed by name when it is not whole in time', async () => {
    const { port } = await inFront({}, { bodyPauseMs: 10_000, bodyMs: 300 });
    const socket = connect(port, '127.0.0.1');
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk;
    });
    socket.write('POST /proxy/r HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100000\r\n\r\n');
    await until(() => {
      if (!socket.destroyed) socket.write(' ');
      return answer.includes('request_timeout');
    });
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
    socket.destroy();
  });

  test('of a session that is gone is refused while it flows, and the connection is let go', async () => {
    const { url, upstream } = await inFront();
    const session = await initialize(url);
    const answer = upstream.answer;
    upstream.answer = (request) => (request.method === 'DELETE' ? void request.res.writeHead(200).end() : answer(request));
    await fetchRaw(url, { method: 'DELETE', headers: session });
    const before = upstream.seen.length;
    expect((await post(url, session, rpc(1, 'tools/call', { blob: large }))).status).toBe(404);
    expect(upstream.seen.length).toBe(before);
  });

  test('is taken no faster than the upstream takes it, and held by nobody', async () => {
    const bytes = 48 * 1024 * 1024;
    let taken = 0;
    const slow = createServer((req, res) => {
      if (req.headers['content-length'] !== String(bytes)) {
        req.resume();
        return;
      }
      // Nothing is read before the test says so.
      slow.once('go', () => {
        req.on('data', (chunk: Buffer) => {
          taken += chunk.length;
        });
        req.on('end', () => res.writeHead(202).end());
      });
    });
    const port = await listen(slow);
    cleanups.push(() => stopServer(slow));
    const running = await startProxy({ upstream: `http://127.0.0.1:${port}/mcp` }, { timeouts: { bodyPauseMs: 1_000 } });
    cleanups.push(running.stop);
    const piece = Buffer.alloc(256 * 1024, ' ');
    const client = request(running.url(), { method: 'POST', agent: false, headers: { 'content-length': String(bytes) } });
    let status = 0;
    client.on('response', (response) => {
      status = response.statusCode ?? 0;
      response.resume();
    });
    client.on('error', () => undefined);
    let sent = 0;
    const more = () => {
      while (sent < bytes && client.write(piece)) sent += piece.length;
      if (sent >= bytes) client.end();
    };
    client.on('drain', () => {
      sent += piece.length;
      more();
    });
    more();
    await until(async () => {
      const before = sent;
      // Whoever pauses of its own accord is given up meanwhile, and ours is not.
      const paused = await write(Number(new URL(running.url()).port), ['Content-Length: 4000'], 'x');
      expect(paused).toMatch(/^HTTP\/1\.1 408 [\s\S]*request_timeout/);
      return sent === before;
    });
    expect(status).toBe(0);
    expect(sent).toBeLessThan(bytes / 2);
    slow.emit('go');
    await until(() => status !== 0);
    expect([status, taken]).toEqual([202, bytes]);
  });
});

/** Sends bytes as they are; answers what the peer says until it ends the connection. */
async function write(port: number, headers: readonly string[], body: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let answer = '';
  let isOver = false;
  socket.on('data', (chunk) => {
    answer += chunk;
  });
  socket.on('error', () => undefined);
  socket.on('close', () => {
    isOver = true;
  });
  socket.write(`${['POST /proxy/r HTTP/1.1', 'Host: 127.0.0.1', ...headers].join('\r\n')}\r\n\r\n${body}`);
  await until(() => isOver || answer.includes('body_too_large'));
  socket.destroy();
  return answer;
}
