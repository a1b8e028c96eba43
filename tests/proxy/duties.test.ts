import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type DutyServer, dutyServer, modernServer } from '@/tests/proxy/duty-servers';
import { fetchRaw, initialize, JSON_BODY, openStream, post, rpc } from '@/tests/proxy/raw-client';
import { mcpProxyOverStdio, type RunningServer, serverEverything } from '@/tests/proxy/real-servers';
import { type Exchange, type Recorder, recorder } from '@/tests/proxy/recorder';
import { LINES, type Line, type SdkClient, sdkClient } from '@/tests/proxy/sdk-clients';
import { type RouteSpec, type RunningProxy, startProxy, until } from '@/tests/proxy/start-proxy';

/** The duties of a transparent proxy between real clients and real servers; numbers are those of docs/proxy.md. */
const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const later = <T extends { readonly stop: () => Promise<void> }>(one: T): T => {
  cleanups.push(one.stop);
  return one;
};
const inFront = async (upstream: string, spec: Partial<RouteSpec> = {}): Promise<RunningProxy> =>
  later(await startProxy({ upstream, mode: 'enforce', ...spec }));
const connected = async (...args: Parameters<typeof sdkClient>): Promise<SdkClient> => {
  const client = await sdkClient(...args);
  cleanups.push(client.close);
  return client;
};
const PAIRS = LINES.flatMap((client) => LINES.map((server) => ({ client, server })));
const REPLAYS = ['upstream', 'proxy'] as const;

const HOPS = new Set(['connection', 'keep-alive', 'transfer-encoding', 'host', 'accept-encoding', 'content-length', 'date']);

/** Headers that are for the other end, as they stand. */
const endToEnd = (raw: readonly string[]): string[] =>
  raw.flatMap((name, i) => (i % 2 === 0 && !HOPS.has(name.toLowerCase()) ? [`${name}: ${raw[i + 1]}`] : []));

const headerIn = (raw: readonly string[], name: string): string | undefined => raw.find((_text, i) => raw[i - 1]?.toLowerCase() === name);

/** What tells one exchange from the others of a conversation. */
const keyOf = ({ method, rawHeaders, body }: Exchange): string => `${method} ${headerIn(rawHeaders, 'last-event-id') ?? ''} ${body()}`;

/** A conversation seen from both sides of the proxy, exchange by exchange: as the client had it, as the server had it. */
async function bothSides(server: string, spec: Partial<RouteSpec>, talk: (url: string) => Promise<void>): Promise<[Exchange, Exchange][]> {
  const behind: Recorder = later(await recorder(server));
  const running = await inFront(behind.url, spec);
  const before: Recorder = later(await recorder(running.url()));
  await talk(before.url);
  const own = new Map(behind.exchanges.map((exchange) => [keyOf(exchange), exchange]));
  return before.exchanges.map((exchange) => {
    const other = own.get(keyOf(exchange));
    if (other === undefined) throw new Error(`the server never saw ${keyOf(exchange)}`);
    return [exchange, other];
  });
}

/** Everything that a client does in its life: initialize, list, call, fail, end. */
async function life(line: Line, url: string, tool: string, args: Record<string, unknown>): Promise<void> {
  const client = await sdkClient(line, url);
  await client.listTools();
  await client.call(tool, args);
  await client.call('no such tool').catch(() => undefined);
  await client.terminate();
  await client.close();
}

describe.each([
  ['server-everything', serverEverything, 'trigger-long-running-operation', { duration: 0.2, steps: 2 }],
  ['mcp-proxy', mcpProxyOverStdio, 'trigger-long-running-operation', { duration: 0.2, steps: 2 }],
  ['an SDK server v1', () => dutyServer('v1'), 'steps', { steps: 3, name: '\u00e9\ud83d\ude00' }],
  ['an SDK server v2', () => dutyServer('v2'), 'steps', { steps: 3 }],
  ['an SDK server v1 that answers by JSON', () => dutyServer('v1', { isJson: true }), 'steps', { steps: 0 }],
])('%s', (_name, start, tool, args) => {
  let server: RunningServer;
  beforeAll(async () => {
    server = await start();
  });
  afterAll(() => server.stop());

  test.each(LINES.flatMap((line) => REPLAYS.map((replay) => ({ line, replay }))))(
    '1, 2, 3, 5: the whole life of a client $line is the same on both sides, to the byte: replay $replay',
    async ({ line, replay }) => {
      const sides = await bothSides(server.url, { replay }, (url) => life(line, url, tool, args));
      expect(sides.length).toBeGreaterThanOrEqual(6);
      for (const [client, upstream] of sides) {
        expect(endToEnd(upstream.rawHeaders)).toEqual(endToEnd(client.rawHeaders));
        expect(upstream.body()).toBe(client.body());
        const [got, sent] = [client.answer(), upstream.answer()];
        expect([got?.status, endToEnd(got?.rawHeaders ?? [])]).toEqual([sent?.status, endToEnd(sent?.rawHeaders ?? [])]);
        // Of a stream that its client left, the server wrote what nobody read.
        if (client.method !== 'GET') expect(got?.body).toBe(sent?.body);
      }
    },
  );

  test('4: what the server refuses passes as it is, and 202 stays 202 without a body', async () => {
    const running = await inFront(server.url, { mode: 'shadow' });
    const asked = async (url: string) => {
      const session = await initialize(url);
      const answers = [
        await fetchRaw(url, { method: 'POST', headers: { ...session, ...JSON_BODY, accept: 'text/plain' }, body: rpc(1, 'tools/list') }),
        await post(url, { ...session, 'mcp-protocol-version': '1900-01-01' }, rpc(1, 'tools/list')),
        await post(url, { ...session, 'content-type': 'text/plain' }, rpc(1, 'tools/list')),
        await post(url, session, 'no json'),
        await post(url, session, rpc(null, 'notifications/initialized')),
        await post(url, { ...session, 'mcp-session-id': 'unknown' }, rpc(1, 'tools/list')),
        await post(url, {}, rpc(1, 'tools/list')),
        await fetchRaw(url, { headers: { ...session, accept: 'application/json' } }),
        await fetchRaw(url, { method: 'PUT', headers: session }),
        await fetchRaw(url, { method: 'DELETE', headers: session }),
        await post(url, session, rpc(1, 'tools/list')),
      ];
      return answers.map(({ status, body }) => [status, body.replaceAll(/"timestamp":"[^"]*"/g, '')]);
    };
    expect(await asked(running.url())).toEqual(await asked(server.url));
  });

  test('12: a page elsewhere is refused, whatever the server thinks of it', async () => {
    const { url } = await inFront(server.url);
    for (const line of LINES) {
      await expect(sdkClient(line, url(), { headers: { origin: 'https://evil.example' } })).rejects.toThrow(/403|origin/i);
    }
    expect((await post(url(), { host: 'evil.example' }, rpc(1, 'tools/list'))).status).toBe(421);
  });

  test('14: a session that its client ended is gone, for this and for any later request', async () => {
    const { url } = await inFront(server.url);
    for (const line of LINES) {
      const client = await connected(line, url());
      const session = { 'mcp-session-id': client.sessionId() ?? '', 'mcp-protocol-version': '2025-11-25' };
      expect((await post(url(), session, rpc(1, 'ping'))).status).toBe(200);
      await client.terminate();
      expect((await post(url(), session, rpc(2, 'ping'))).status).toBe(404);
      expect((await fetchRaw(url(), { headers: { ...session, 'last-event-id': 'x' } })).status).toBe(404);
    }
  });
});

describe.each(PAIRS)('client $client, server $server', ({ client: line, server: serverLine }) => {
  let server: DutyServer;
  beforeAll(async () => {
    server = await dutyServer(serverLine);
  });
  afterAll(() => server.stop());

  test.each(REPLAYS)('7: each event reaches the client before the next is sent, replay %s', async (replay) => {
    server.allow(1);
    const { url } = await inFront(server.url, { replay });
    const client = await connected(line, url(), { onSaid: () => server.allow(client.said.length + 1) });
    // The server takes a step only once the one before was heard: an event that is held back ends in the test's time limit.
    await client.call('steps', { steps: 5, hold: true });
    expect(client.said).toEqual(['step 1', 'step 2', 'step 3', 'step 4', 'step 5']);
    expect(client.errors).toEqual([]);
  });

  test.each(REPLAYS)('8: a flood of 20 MB arrives whole and in order, replay %s', async (replay) => {
    const { url } = await inFront(server.url, { replay, buffer: { events: 100, bytes: 1024 * 1024, ttlMs: 60_000 } });
    const client = await connected(line, url());
    await client.call('steps', { steps: 2_000, pad: 10_000 });
    expect(client.said.map((data) => data.replaceAll('.', ''))).toEqual(Array.from({ length: 2_000 }, (_, i) => `step ${i + 1}`));
  });

  test.each(REPLAYS)('9: calls side by side each have their own messages on their own stream, replay %s', async (replay) => {
    const names = ['a', 'b', 'c', 'd'];
    const sides = await bothSides(server.url, { replay }, async (url) => {
      const client = await connected(line, url);
      await Promise.all(names.map((name) => client.call('steps', { steps: 20, name })));
      for (const name of names) {
        expect(client.said.filter((data) => data.startsWith(name))).toEqual(Array.from({ length: 20 }, (_, i) => `${name} ${i + 1}`));
      }
    });
    const calls = sides.filter(([{ body }]) => body().includes('tools/call'));
    expect(calls).toHaveLength(names.length);
    for (const [{ body, answer }] of calls) {
      const own = JSON.parse(body()).params.arguments.name;
      const heard = [...(answer()?.body ?? '').matchAll(/"data":"(\w) \d+"/g)].map(([, name]) => name);
      expect(heard).toEqual(Array(20).fill(own));
    }
  });

  test.each(REPLAYS)('10: a client that goes away cancels nothing, replay %s', async (replay) => {
    server.allow(1);
    const { url } = await inFront(server.url, { replay });
    const [before, done] = [server.runs.length, server.done()];
    const client = await sdkClient(line, url());
    const call = client.call('steps', { steps: 3, hold: true }).catch(() => undefined);
    await until(() => client.said.length === 1);
    await client.close();
    await call;
    server.allow(3);
    await until(() => server.done() === done + 1);
    expect(server.runs.slice(before).map(({ aborted }) => aborted)).toEqual([false]);
  });

  test.each(REPLAYS)('11: a call that was kept alive through a silence is resumed to its answer, replay %s', async (replay) => {
    server.allow(1);
    const { url } = await inFront(server.url, { replay });
    const cuttable = later(await recorder(url()));
    const client = await connected(line, cuttable.url);
    const call = client.call('steps', { steps: 3, hold: true });
    await until(() => client.said.length === 1);
    const stream = cuttable.exchanges.find(({ body }) => body().includes('tools/call'));
    await until(() => (stream?.answer()?.body.match(/^:/gm)?.length ?? 0) >= 3);
    await cuttable.stop();
    await cuttable.restart();
    server.allow(3);
    expect(await call).toMatchObject({ content: [{ text: '3 steps' }] });
    expect(client.said).toEqual(['step 1', 'step 2', 'step 3']);
  });

  test('11: a call whose stream cannot be resumed is told so once, and is never sent again', async () => {
    const behind = later(await recorder(server.url));
    // Nothing is kept, so that every cursor is below the floor.
    const spec = { floor: 'retained', buffer: { events: 1, bytes: 1, ttlMs: 1 }, refusal: 'auto' } as const;
    const running = await inFront(behind.url, spec);
    const before = server.runs.length;
    server.allow(1);
    const cuttable = later(await recorder(running.url()));
    const client = await connected(line, cuttable.url);
    const call = client.call('steps', { steps: 2, hold: true });
    const ended = call.then(
      () => null,
      (error: { code?: number; data?: { reason?: string; next_step?: string } }) => error,
    );
    await until(() => client.said.length === 1);
    await cuttable.stop();
    await cuttable.restart();
    expect(await ended).toMatchObject({ code: -32010, data: { type: 'resume_unavailable', reason: 'below_floor' } });
    server.allow(2);
    expect(server.runs.length - before).toBe(1);
    expect(behind.exchanges.filter(({ body }) => body().includes('tools/call'))).toHaveLength(1);
  });

  test('13: another credential’s session and cursor are as unknown as any', async () => {
    const { url } = await inFront(server.url, { replay: 'proxy' });
    const behind = later(await recorder(url()));
    const client = await connected(line, behind.url, { headers: { authorization: 'Bearer mine' } });
    await client.call('steps', { steps: 2 });
    const stream = behind.exchanges.find(({ body }) => body().includes('tools/call'))?.answer()?.body ?? '';
    const cursor = /^id: ?(.+)$/m.exec(stream)?.[1] ?? '';
    const session = { 'mcp-session-id': client.sessionId() ?? '', 'mcp-protocol-version': '2025-11-25', 'last-event-id': cursor };
    const asks = (headers: Record<string, string>) => fetchRaw(url(), { headers: { ...session, ...headers } });
    const [thief, nobody] = [await asks({ authorization: 'Bearer yours' }), await asks({ 'mcp-session-id': 'never-issued' })];
    expect([thief.status, thief.body]).toEqual([404, nobody.body]);
    const mine = await openStream(url(), { headers: { ...session, authorization: 'Bearer mine' } });
    expect(mine.status).toBe(200);
    mine.close();
  });
});

test.each(REPLAYS)('10: from 2026-07-28 on a client that goes away cancels, and nothing is added, replay %s', async (replay) => {
  const server = later(await modernServer());
  const behind = later(await recorder(server.url));
  const running = await inFront(behind.url, { replay });
  const before = later(await recorder(running.url()));
  const client = await sdkClient('v2', before.url, { isModern: true });
  server.allow(3);
  expect(await client.call('steps', { steps: 3 })).toMatchObject({ content: [{ text: '3 steps' }] });
  for (const [i, exchange] of before.exchanges.entries()) {
    const [got, sent] = [exchange.answer(), behind.exchanges[i]?.answer()];
    expect([got?.status, endToEnd(got?.rawHeaders ?? []), got?.body]).toEqual([sent?.status, endToEnd(sent?.rawHeaders ?? []), sent?.body]);
    expect(got?.rawHeaders.join()).not.toMatch(/mcp-session-id/i);
  }
  server.allow(1);
  const call = client.call('steps', { steps: 3, hold: true }).catch(() => undefined);
  await until(() => server.runs.length === 2);
  await client.close();
  await call;
  await until(() => server.runs[1]?.aborted);
});
