import { Client as ClientV2, StreamableHTTPClientTransport as TransportV2 } from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { fetchRaw, initialize, openStream, post, postStream, resume, rpc } from '@/tests/proxy/raw-client';
import { mcpProxyOverStdio, type RunningServer, sdkServerV1, sdkServerV2, serverEverything } from '@/tests/proxy/real-servers';
import { type RouteSpec, type RunningProxy, startProxy, until } from '@/tests/proxy/start-proxy';

const proxies: RunningProxy[] = [];
afterEach(async () => {
  for (const proxy of proxies.splice(0)) await proxy.stop();
});

async function inFront(server: RunningServer, spec: Partial<RouteSpec> = {}): Promise<RunningProxy> {
  const running = await startProxy({ upstream: server.url, mode: 'enforce', ...spec });
  proxies.push(running);
  return running;
}

const error = (text: string) => JSON.parse(text).error;
const LONG = (duration: number, steps: number) =>
  rpc(2, 'tools/call', { name: 'trigger-long-running-operation', arguments: { duration, steps }, _meta: { progressToken: 'p1' } });
const isAnswer = (data: string) => data.includes('"result"');

describe('server-everything', () => {
  let server: RunningServer;
  beforeAll(async () => {
    server = await serverEverything();
  });
  afterAll(() => server.stop());

  test('unknown id answered 200 comes out as 409 unknown_cursor', async () => {
    const url = (await inFront(server)).url();
    const session = await initialize(url);
    const answer = await fetchRaw(url, { headers: { ...session, 'last-event-id': 'never-issued' } });
    expect([answer.status, error(answer.body).data.reason]).toEqual([409, 'unknown_cursor']);
  });

  test('400 for a session that is unknown or deleted comes out as 404', async () => {
    const url = (await inFront(server)).url();
    const unknown = { 'mcp-session-id': 'no-such-session', 'mcp-protocol-version': '2025-11-25' };
    const statuses = async (session: Record<string, string>) => [
      (await fetchRaw(url, { headers: session })).status,
      (await fetchRaw(url, { headers: { ...session, 'last-event-id': 'x' } })).status,
      (await post(url, session, rpc(1, 'tools/list'))).status,
      (await fetchRaw(url, { method: 'DELETE', headers: session })).status,
    ];
    expect(await statuses(unknown)).toEqual([404, 404, 404, 404]);
    const session = await initialize(url);
    expect((await fetchRaw(url, { method: 'DELETE', headers: session })).status).toBe(200);
    expect(await statuses(session)).toEqual([404, 404, 404, 404]);
  });

  test('a 400 for another fault of a live session stays a 400, with its body', async () => {
    const url = (await inFront(server)).url();
    const session = await initialize(url);
    const wrong = { ...session, 'mcp-protocol-version': '1900-01-01' };
    const direct = await initialize(server.url);
    const through = await fetchRaw(url, { headers: wrong });
    const without = await fetchRaw(server.url, { headers: { ...direct, 'mcp-protocol-version': '1900-01-01' } });
    expect([through.status, through.body]).toEqual([without.status, without.body]);
    expect(through.status).toBe(400);
  });

  test('cross-stream replay is stopped before its first event', async () => {
    const url = (await inFront(server)).url();
    const first = await postStream(
      url,
      {},
      rpc(1, 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '0' } }),
    );
    await until(first.isEnded);
    const token = String(first.headers['mcp-session-id']);
    const session = { 'mcp-session-id': token, 'mcp-protocol-version': '2025-11-25' };
    await post(url, session, rpc(null, 'notifications/initialized'));
    const call = await postStream(url, session, LONG(1, 2));
    await until(call.isEnded);
    const cursor = first.events.at(-1)?.id ?? '';
    const resumed = await resume(url, session, cursor);
    await until(resumed.isEnded);
    expect(resumed.events).toEqual([]);
  });

  test.each(['upstream', 'proxy'] as const)('dead resume in mid-call, replay %s: the call goes on to its answer', async (replay) => {
    const url = (await inFront(server, { replay })).url();
    const session = await initialize(url);
    await post(url, session, rpc(null, 'notifications/initialized'));
    const call = await postStream(url, session, LONG(2, 4));
    await until(() => call.events.length === 3);
    call.close();
    const resumed = await resume(url, session, call.events.at(-1)?.id ?? '');
    await until(() => resumed.events.some((event) => isAnswer(event.data)));
    const all = [...call.events, ...resumed.events];
    expect(new Set(all.map((event) => event.id)).size).toBe(all.length);
    expect(all.filter((event) => event.data.includes('notifications/progress'))).toHaveLength(4);
    resumed.close();
  });

  test('replay upstream: a resume whose live tail the server attached to nobody still reaches the answer', async () => {
    const running = await startProxy({ upstream: server.url, mode: 'enforce' }, { timeouts: { resumeAgainMs: 300 } });
    proxies.push(running);
    const url = running.url();
    const session = await initialize(url);
    await post(url, session, rpc(null, 'notifications/initialized'));
    const call = await postStream(url, session, LONG(3, 6));
    await until(() => call.events.length === 4);
    call.close();
    const resumed = await resume(url, session, call.events[0]?.id ?? '');
    await until(() => resumed.events.some((event) => isAnswer(event.data)));
    expect(resumed.events.slice(0, 3)).toEqual(call.events.slice(1));
    expect(resumed.events.filter((event) => event.data.includes('notifications/progress'))).toHaveLength(6);
    expect(new Set(resumed.events.map((event) => event.id)).size).toBe(resumed.events.length);
    resumed.close();
  });

  test('replay proxy: every cursor of a finished call gets exactly the rest of its own stream', async () => {
    const url = (await inFront(server, { replay: 'proxy' })).url();
    const session = await initialize(url);
    await post(url, session, rpc(null, 'notifications/initialized'));
    const call = await postStream(url, session, LONG(1, 3));
    await until(call.isEnded);
    for (const [index, event] of call.events.slice(0, -1).entries()) {
      const resumed = await resume(url, session, event.id ?? '');
      await until(resumed.isEnded);
      expect(resumed.events).toEqual(call.events.slice(index + 1));
    }
  });

  test('15: a restart is a new generation: the old session is told 404 or refused, never served', async () => {
    const own = await serverEverything();
    const url = (await inFront(own)).url();
    const session = await initialize(url);
    const call = await postStream(url, session, LONG(1, 2));
    await until(call.isEnded);
    await own.stop();
    expect((await post(url, session, rpc(1, 'tools/list'))).status).toBe(502);
    const again = await serverEverything(Number(new URL(own.url).port));
    try {
      const answer = await fetchRaw(url, { headers: { ...session, 'last-event-id': call.events[0]?.id ?? '' } });
      expect([404, 409]).toContain(answer.status);
      expect((await post(url, session, rpc(1, 'tools/list'))).status).toBe(404);
    } finally {
      await again.stop();
    }
  });
});

describe('mcp-proxy over stdio', () => {
  let server: RunningServer;
  beforeAll(async () => {
    server = await mcpProxyOverStdio();
  });
  afterAll(() => server.stop());

  test.each(['upstream', 'proxy'] as const)('a dropped call is resumed to its answer, replay %s', async (replay) => {
    const running = await inFront(server, { replay });
    const url = running.url();
    const session = await initialize(url);
    await post(url, session, rpc(null, 'notifications/initialized'));
    const call = await postStream(url, session, LONG(2, 4));
    await until(() => call.events.length >= 2);
    call.close();
    const resumed = await resume(url, session, call.events[0]?.id ?? '');
    await until(() => resumed.events.some((event) => isAnswer(event.data)));
    expect(resumed.events.slice(0, call.events.length - 1).map((event) => event.id)).toEqual(call.events.slice(1).map((event) => event.id));
    // The server itself loses its last progress now and then, in a race with the answer.
    const seen = [...new Map([...call.events, ...resumed.events].map((event) => [event.id, event.data])).values()];
    expect(seen.flatMap((data) => /"progress":(\d)/.exec(data)?.[1] ?? []).slice(0, 3)).toEqual(['1', '2', '3']);
    expect(resumed.headers['tidemark-resumed-from']).toBe('1');
    resumed.close();
  });

  test('its 400 for a cursor that it evicted comes out as 409', async () => {
    const url = (await inFront(server)).url();
    const session = await initialize(url);
    const answer = await fetchRaw(url, { headers: { ...session, 'last-event-id': 'unknown_0_x' } });
    expect(answer.status).toBe(409);
    expect((await fetchRaw(url, { headers: { 'mcp-session-id': 'nobody', 'last-event-id': 'x' } })).status).toBe(404);
  });
});

describe('SDK servers and clients', () => {
  let v1: RunningServer;
  let v2: RunningServer;
  beforeAll(async () => {
    v1 = await sdkServerV1();
    v2 = await sdkServerV2();
  });
  afterAll(async () => {
    await v1.stop();
    await v2.stop();
  });

  const SPECS: [string, Partial<RouteSpec>][] = [
    ['shadow', { mode: 'shadow' }],
    ['enforce, upstream replay', { mode: 'enforce' }],
    ['enforce, proxy replay', { mode: 'enforce', replay: 'proxy' }],
  ];

  test.each(SPECS)('client v1 polls a call whose stream the server closes: %s', async (_name, spec) => {
    const url = (await inFront(v1, spec)).url();
    const client = new Client({ name: 'c', version: '0' });
    const errors: Error[] = [];
    client.onerror = (failure) => errors.push(failure);
    await client.connect(new StreamableHTTPClientTransport(new URL(url)) as never);
    const result = await client.callTool({ name: 'poll', arguments: {} });
    expect(result.content).toEqual([{ type: 'text', text: 'polled' }]);
    await client.close();
    expect(errors).toEqual([]);
  });

  test.each(SPECS)('client v2 polls the same: %s', async (_name, spec) => {
    const url = (await inFront(v1, spec)).url();
    const client = new ClientV2({ name: 'c', version: '0' });
    await client.connect(new TransportV2(new URL(url)));
    const result = await client.callTool({ name: 'poll', arguments: {} });
    expect(result.content).toEqual([{ type: 'text', text: 'polled' }]);
    await client.close();
  });

  test.each(SPECS)('clients of both lines talk to a v2 server: %s', async (_name, spec) => {
    const url = (await inFront(v2, spec)).url();
    const one = new Client({ name: 'c', version: '0' });
    await one.connect(new StreamableHTTPClientTransport(new URL(url)) as never);
    expect((await one.callTool({ name: 'echo', arguments: { text: 'ü€😀' } })).content).toEqual([{ type: 'text', text: 'ü€😀' }]);
    await one.close();
    const two = new ClientV2({ name: 'c', version: '0' });
    await two.connect(new TransportV2(new URL(url)));
    expect((await two.callTool({ name: 'echo', arguments: { text: 'x' } })).content).toEqual([{ type: 'text', text: 'x' }]);
    await two.close();
  });

  test('16: a second standalone GET gets the server’s own answer', async () => {
    const url = (await inFront(v1)).url();
    const session = await initialize(url);
    const first = await openStream(url, { headers: session });
    expect(first.status).toBe(200);
    const direct = await initialize(v1.url);
    const held = await openStream(v1.url, { headers: direct });
    const own = await fetchRaw(v1.url, { headers: direct });
    const second = await fetchRaw(url, { headers: session });
    expect([second.status, second.body]).toEqual([own.status, own.body]);
    expect(second.status).toBe(409);
    first.close();
    held.close();
    const third = await until(async () => {
      const stream = await openStream(url, { headers: session });
      if (stream.status === 200) return stream;
      stream.close();
      return null;
    });
    third.close();
  });
});
