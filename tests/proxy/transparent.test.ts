import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterEach, expect, test } from 'vitest';
import type { ProxyOptions } from '@/lib/proxy/create-proxy';
import { fetchRaw, initialize, JSON_BODY, openStream, post, postStream, rpc } from '@/tests/proxy/raw-client';
import { frame, openSse, resultFor, type SeenRequest, scriptedUpstream, withSession } from '@/tests/proxy/scripted-upstream';
import { type RouteSpec, type RunningProxy, startProxy, until } from '@/tests/proxy/start-proxy';

/** The duties of a transparent proxy, one by one; numbers are those of docs/proxy.md. */
const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function setUp(answer: (request: SeenRequest) => void, spec: Partial<RouteSpec> = {}, options: Partial<ProxyOptions> = {}) {
  const upstream = await scriptedUpstream(answer);
  cleanups.push(upstream.stop);
  const running: RunningProxy = await startProxy({ upstream: upstream.url, mode: 'enforce', ...spec }, options);
  cleanups.push(running.stop);
  return { upstream, running, url: running.url() };
}

const plain =
  (status: number, headers: Record<string, string> = {}, body = '') =>
  ({ res }: SeenRequest) =>
    void res.writeHead(status, headers).end(body);

test('1: headers go both ways with their case, order, repetition and bytes; hop-by-hop ones stay behind', async () => {
  const { url, upstream } = await setUp(({ res }) => {
    res.writeHead(200, 'Fine', [
      'Set-Cookie',
      'a=1',
      'Set-Cookie',
      'b=2',
      'X-Accel-Buffering',
      'no',
      'Mcp-Whatever',
      '\u00e9\u00ff',
      'Keep-Alive',
      'timeout=9',
      'Connection',
      'x-hop',
      'X-Hop',
      '1',
      'Content-Length',
      '2',
    ]);
    res.end(Buffer.from('{}'));
  });
  const sent = {
    Accept: 'application/json, text/event-stream',
    'MCP-Protocol-Version': '2025-06-18',
    'Mcp-Method': 'tools/call',
    'Mcp-Param-Anything': 'kept',
    Authorization: 'Bearer x',
    traceparent: '00-1-2-01',
    Cookie: 'c=1',
    'content-type': 'application/json',
    Connection: 'x-mine',
    'X-Mine': 'dropped',
  };
  const answer = await fetchRaw(url, { method: 'POST', headers: sent, body: rpc(1, 'tools/list') });
  const pairs = (raw: readonly string[]) => raw.flatMap((name, i) => (i % 2 === 0 ? [`${name}: ${raw[i + 1]}`] : []));
  const seen = pairs(upstream.seen[0]?.rawHeaders ?? []);
  for (const [name, value] of Object.entries(sent)) {
    if (name === 'Connection' || name === 'X-Mine') expect(seen.join('\n').toLowerCase()).not.toContain('x-mine');
    else expect(seen).toContain(`${name}: ${value}`);
  }
  expect(pairs(answer.rawHeaders)).toEqual(
    expect.arrayContaining(['Set-Cookie: a=1', 'Set-Cookie: b=2', 'X-Accel-Buffering: no', 'Mcp-Whatever: \u00e9\u00ff']),
  );
  expect(answer.headers).not.toHaveProperty('x-hop');
  expect(answer.headers['keep-alive']).not.toBe('timeout=9');
});

test('2: no session id is minted, echoed or altered', async () => {
  const { url } = await setUp(({ res, headers }) => {
    if (headers['mcp-session-id'] === undefined) res.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    else openSse(res).end('data: 1\n\n');
  });
  expect((await post(url, {}, rpc(1, 'tools/list'))).headers).not.toHaveProperty('mcp-session-id');
  expect((await fetchRaw(url, { headers: { 'mcp-session-id': 'S9' } })).headers).not.toHaveProperty('mcp-session-id');
});

test('3: bodies keep their bytes, large ones and strange ones too', async () => {
  const bodies = [
    '{"jsonrpc":"2.0", "id" : 1.0e0 ,"method":"x","params":{"b":1,"a":"\\u00e9","big":12345678901234567890}}',
    'not json',
    JSON.stringify({ jsonrpc: '2.0', id: '1', method: 'x', params: { pad: 'p'.repeat(3_000_000) } }),
  ];
  const { url, upstream } = await setUp(({ res, body }) => void res.writeHead(200, { 'content-type': 'application/json' }).end(body));
  for (const body of bodies) {
    expect((await post(url, {}, body)).body).toBe(body);
    expect(upstream.seen.at(-1)?.body.toString()).toBe(body);
  }
});

test.each([202, 400, 401, 403, 404, 405, 406, 410, 429, 500, 503])('4: status %i and its body pass untouched', async (status) => {
  const body = status === 202 ? '' : `{"jsonrpc":"2.0","error":{"code":-32022,"message":"${status}"},"id":null}`;
  const { url } = await setUp(
    plain(status, { 'www-authenticate': 'Bearer resource_metadata="x"', 'content-type': 'application/json' }, body),
  );
  const answer = await post(url, {}, rpc(1, 'initialize'));
  expect([answer.status, answer.body, answer.headers['www-authenticate']]).toEqual([status, body, 'Bearer resource_metadata="x"']);
  const get = await fetchRaw(url);
  expect([get.status, get.body]).toEqual([status, body]);
});

test('5: a request may be answered by JSON or by a stream, and batches pass', async () => {
  const batch = '[{"jsonrpc":"2.0","id":1,"method":"a"},{"jsonrpc":"2.0","id":2,"method":"b"}]';
  const { url } = await setUp(
    withSession('S1', ({ res, body }) => {
      if (body.toString() === batch) openSse(res).end(frame('1', resultFor(1)) + frame('2', resultFor(2)));
      else res.writeHead(200, { 'content-type': 'application/json' }).end('{"jsonrpc":"2.0","id":3,"result":{}}');
    }),
  );
  const session = await initialize(url);
  const stream = await postStream(url, session, batch);
  await until(stream.isEnded);
  expect(stream.events.map((event) => event.id)).toEqual(['1', '2']);
  expect((await post(url, session, rpc(3, 'x'))).body).toBe('{"jsonrpc":"2.0","id":3,"result":{}}');
});

test('6: OAuth metadata of the upstream is served at the route, naming the route as its resource', async () => {
  const { running } = await setUp(({ url, res }) => {
    const body =
      url === '/.well-known/oauth-protected-resource/mcp'
        ? '{"resource":"http://up/mcp","authorization_servers":["https://as"]}'
        : '{"issuer":"https://as"}';
    res.writeHead(url.startsWith('/.well-known/') ? 200 : 404, { 'content-type': 'application/json' }).end(body);
  });
  const resource = await fetchRaw(`${running.origin}/.well-known/oauth-protected-resource/proxy/r`);
  expect(JSON.parse(resource.body)).toEqual({ resource: running.url(), authorization_servers: ['https://as'] });
  expect(JSON.parse((await fetchRaw(`${running.origin}/.well-known/oauth-authorization-server/proxy/r`)).body)).toEqual({
    issuer: 'https://as',
  });
  expect((await fetchRaw(`${running.origin}/.well-known/oauth-protected-resource/proxy/other`)).status).toBe(404);
});

const ODD_STREAM =
  '\u{feff}: hi\r\n\r\nretry: 700\n\nid: p1\ndata: \n\ndata: no id\r\rid:x\rdata: a\rdata: b\r\rid\ndata: cleared\n\n:\n\nevent: x\nid: \u00fc\ndata: {"a":1}\n\n';

test('7: a stream passes byte for byte, its head and every event at once', async () => {
  let upstreamRes: SeenRequest['res'] | null = null;
  const { url } = await setUp(
    withSession('S1', ({ res }) => {
      upstreamRes = openSse(res);
    }),
  );
  const session = await initialize(url);
  const stream = await openStream(url, { headers: session });
  const bytes = Buffer.from(ODD_STREAM);
  for (let at = 0; at < bytes.length; at += 7) {
    const upTo = Math.min(at + 7, bytes.length);
    (upstreamRes as SeenRequest['res'] | null)?.write(bytes.subarray(at, upTo));
    await until(() => stream.bytes().length === upTo);
  }
  expect(stream.bytes().equals(bytes)).toBe(true);
  stream.close();
});

test('8: a slow reader slows the upstream down, and memory stays bounded', async () => {
  const chunk = Buffer.from(frame('z', 'x'.repeat(64 * 1024)));
  const total = 64 * 1024 * 1024;
  let written = 0;
  let isStalled = false;
  const { url } = await setUp(
    withSession('S1', ({ res }) => {
      openSse(res);
      const more = () => {
        while (written < total) {
          written += chunk.length;
          if (!res.write(chunk)) {
            isStalled = true;
            res.once('drain', more);
            return;
          }
        }
        res.end();
      };
      more();
    }),
  );
  const session = await initialize(url);
  const stream = await openStream(url, { headers: session });
  stream.response.pause();
  let before = -1;
  await until(async () => {
    const isStill = isStalled && written === before;
    before = written;
    // The proxy and the server both had their turn, many times over.
    for (let i = 0; i < 20; i++) await post(url, session, rpc(i, 'ping'));
    return isStill;
  });
  expect(written).toBeLessThan(total / 2);
  stream.response.resume();
  await until(stream.isEnded);
  expect(stream.bytes().length).toBe(written);
});

test('9: messages stay on their stream and in their order', async () => {
  const { url } = await setUp(
    withSession('S1', ({ res, method, body }) => {
      if (method === 'GET') openSse(res).write(frame('g1') + frame('g2'));
      else {
        const { id } = JSON.parse(body.toString());
        openSse(res).end(frame(`${id}a`) + frame(`${id}b`, resultFor(id)));
      }
    }),
  );
  const session = await initialize(url);
  const get = await openStream(url, { headers: session });
  const posts = await Promise.all([1, 2, 3].map((id) => postStream(url, session, rpc(id, 'tools/call'))));
  for (const [i, stream] of posts.entries()) {
    await until(stream.isEnded);
    expect(stream.events.map((event) => event.id)).toEqual([`${i + 1}a`, `${i + 1}b`]);
  }
  await until(() => get.events.length === 2);
  expect(get.events.map((event) => event.id)).toEqual(['g1', 'g2']);
  get.close();
});

test('10: before 2026-07-28 a disconnect is no cancel, with an answer pending as JSON or as a stream', async () => {
  const { url, upstream } = await setUp(
    withSession('S1', ({ res, body }) => {
      if (JSON.parse(body.toString()).id === 1) openSse(res).write(frame('a'));
    }),
  );
  const session = await initialize(url);
  const stream = await postStream(url, session, rpc(1, 'tools/call'));
  await until(() => stream.events.length === 1);
  stream.close();
  const silent = postStream(url, session, rpc(2, 'tools/call')).catch(() => undefined);
  await until(() => upstream.seen.length === 3);
  const requests = upstream.seen.slice(1);
  for (const request of requests) {
    request.res.write(request === requests[0] ? frame('b') : '');
    request.res.end(request === requests[0] ? frame('c', resultFor(1)) : '{}');
    await until(() => request.res.writableFinished);
    expect(request.isAborted).toBe(false);
  }
  await silent;
});

test.each<[string, Record<string, string>, string]>([
  ['header', { 'mcp-protocol-version': '2026-07-28' }, rpc(1, 'tools/call')],
  ['envelope', {}, rpc(1, 'tools/call', { _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } })],
])('10: from 2026-07-28 on, told by the %s, a disconnect aborts upstream, and nothing is injected', async (_by, headers, body) => {
  const { url, upstream } = await setUp(({ res }) => void openSse(res).write('data: 1\n\n'), { replay: 'proxy' });
  const stream = await postStream(url, { ...headers, 'mcp-session-id': 'left-over' }, body);
  await until(() => stream.events.length === 1);
  expect(stream.bytes().toString()).toBe('data: 1\n\n');
  stream.close();
  await until(() => upstream.seen[0]?.isAborted);
});

test('10: a left-over cursor on a 2026-07-28 request is passed as it is and judged by nobody', async () => {
  const { url, upstream, running } = await setUp(plain(405));
  const answer = await fetchRaw(url, { headers: { 'mcp-protocol-version': '2026-07-28', 'mcp-session-id': 'S1', 'last-event-id': 'x' } });
  expect([answer.status, upstream.seen[0]?.headers['last-event-id']]).toEqual([405, 'x']);
  expect(running.proxy.routes()[0]?.refused).toEqual({});
});

test('11: a resume is never a POST again', async () => {
  const { url, upstream } = await setUp(
    withSession('S1', ({ res, method }) => {
      if (method === 'POST') openSse(res).write(frame('a'));
      else res.writeHead(400).end();
    }),
  );
  const session = await initialize(url);
  const stream = await postStream(url, session, rpc(1, 'tools/call'));
  await until(() => stream.events.length === 1);
  stream.close();
  await fetchRaw(url, { headers: { ...session, 'last-event-id': 'never' } });
  expect(upstream.seen.filter((request) => request.body.includes('tools/call'))).toHaveLength(1);
});

test.each<[string, Record<string, string>, number]>([
  ['a foreign Host', { host: 'evil.example' }, 421],
  ['a foreign Origin', { origin: 'https://evil.example' }, 403],
  ['the opaque Origin', { origin: 'null' }, 403],
])('12: %s is refused before anything goes upstream', async (_what, headers, status) => {
  const { url, upstream } = await setUp(plain(200));
  expect((await post(url, headers, rpc(1, 'tools/list'))).status).toBe(status);
  expect(upstream.seen).toEqual([]);
});

test('12: metadata is for the same pages and hosts, is only read, and a broken name is none', async () => {
  const { running, upstream } = await setUp(plain(200));
  const path = `${running.origin}/.well-known/oauth-protected-resource/proxy`;
  expect((await fetchRaw(`${path}/r`, { headers: { host: 'evil.example' } })).status).toBe(421);
  expect((await fetchRaw(`${path}/r`, { headers: { origin: 'https://evil.example' } })).status).toBe(403);
  expect((await post(`${path}/r`, {}, rpc(1, 'tools/list'))).status).toBe(405);
  expect((await fetchRaw(`${path}/%zz`)).status).toBe(404);
  expect((await fetchRaw(`${running.origin}/proxy/%zz`)).status).toBe(404);
  expect(upstream.seen).toEqual([]);
});

test.each([
  { allowedHosts: null, host: 'rebound.example', status: 403, what: 'whose names are not known' },
  { allowedHosts: ['mcp.example'], host: 'rebound.example', status: 421, what: 'that is another name' },
])(
  '12: a rebound name, where the page has the origin that it calls, is refused at a proxy $what',
  async ({ allowedHosts, host, status }) => {
    const { url, upstream } = await setUp(plain(200), {}, { allowedHosts });
    expect((await post(url, { host, origin: `http://${host}` }, rpc(1, 'tools/list'))).status).toBe(status);
    expect(upstream.seen).toEqual([]);
  },
);

test('12: the own origin, an allowed one and none pass, and Origin goes on as it came', async () => {
  const { url, upstream, running } = await setUp(plain(200), {}, { allowedOrigins: ['https://app.example'] });
  for (const headers of [{}, { origin: running.origin }, { origin: 'https://app.example' }]) {
    expect((await post(url, headers as Record<string, string>, rpc(1, 'tools/list'))).status).toBe(200);
  }
  expect(upstream.seen.map((request) => request.headers.origin)).toEqual([undefined, running.origin, 'https://app.example']);
});

test('13: only configured upstreams can be reached, and only their endpoint', async () => {
  const { running, upstream } = await setUp(plain(200));
  for (const path of ['/proxy/other', '/proxy/r/deeper', '/proxy/r/../x', '/proxy/http:%2F%2Fevil']) {
    expect((await fetchRaw(running.origin + path)).status).toBe(404);
  }
  expect(upstream.seen).toEqual([]);
  await fetchRaw(`${running.url()}?a=1&b=%20`);
  expect(upstream.seen[0]?.url).toBe('/mcp?a=1&b=%20');
});

test('14: an upstream 404 ends the session here too', async () => {
  let isGone = false;
  const { url, upstream } = await setUp(withSession('S1', ({ res }) => void res.writeHead(isGone ? 404 : 202).end()));
  const session = await initialize(url);
  expect((await post(url, session, rpc(1, 'tools/list'))).status).toBe(202);
  isGone = true;
  expect((await post(url, session, rpc(1, 'tools/list'))).status).toBe(404);
  const asked = upstream.seen.length;
  expect((await post(url, session, rpc(1, 'tools/list'))).status).toBe(404);
  expect(upstream.seen).toHaveLength(asked);
});

test('16: when the client of a standalone stream leaves, the upstream side is closed at once', async () => {
  const { url, upstream } = await setUp(withSession('S1', ({ res }) => void openSse(res)));
  const session = await initialize(url);
  const stream = await openStream(url, { headers: session });
  stream.close();
  await until(() => upstream.seen.at(-1)?.isAborted);
});

test('an upstream that does not answer is 502 in words; one that dies in mid-stream cuts the client', async () => {
  const { url, upstream } = await setUp(withSession('S1', ({ res }) => void openSse(res).write(frame('a'))));
  const session = await initialize(url);
  const stream = await openStream(url, { headers: session });
  await until(() => stream.events.length === 1);
  await upstream.kill();
  await until(stream.isCut);
  const answer = await post(url, session, rpc(1, 'tools/list'));
  expect([answer.status, JSON.parse(answer.body).error.code]).toEqual([502, 'upstream_unreachable']);
  await upstream.restart();
});

test('a client of the SDK fetches tools through a shadow route without a trace of the proxy', async () => {
  const { url, running } = await setUp(
    withSession('S1', ({ res, body, method }) => {
      if (method === 'GET') res.writeHead(405).end();
      else
        res
          .writeHead(200, { 'content-type': 'application/json' })
          .end(JSON.stringify({ jsonrpc: '2.0', id: JSON.parse(body.toString()).id, result: { tools: [] } }));
    }),
    { mode: 'shadow' },
  );
  const client = new Client({ name: 'c', version: '0' });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)) as never);
  expect(await client.listTools()).toEqual({ tools: [] });
  await client.close();
  await running.proxy.close();
  expect(running.records.filter((record) => record.type === 'request')).toMatchObject([
    { rpc: { method: 'initialize', id: 0 }, session: null, status: 200, content_type: 'application/json' },
    { rpc: { method: 'notifications/initialized' }, session: 'S1', status: 202 },
    { rpc: { method: 'tools/list', id: 1 }, session: 'S1', status: 200 },
  ]);
});

test('a proxy request carries no header that a body cannot have', async () => {
  const { url, upstream } = await setUp(plain(202));
  await fetchRaw(url, { method: 'POST', headers: { ...JSON_BODY, expect: '100-continue' }, body: '{}' });
  expect(upstream.seen[0]?.headers).not.toHaveProperty('expect');
});
