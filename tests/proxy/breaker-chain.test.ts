import { createServer } from 'node:http';
import { Client as ClientV2, StreamableHTTPClientTransport as TransportV2 } from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { ROUTE_DEFAULTS } from '@/lib/proxy/route';
import { servePath } from '@/lib/proxy/serve-path';
import { proxyRoutes } from '@/server/api/proxy-routes';
import { openProxy, type ProxyService } from '@/server/proxy-service';
import { type Receiver, startReceiver } from '@/tests/alerting/receiver';
import { call } from '@/tests/integration/api-client';
import { startTestDatabase, type TestDatabase } from '@/tests/integration/database';
import { startEdge, TEST_SECRET } from '@/tests/integration/edge';
import {
  frame,
  openSse,
  resultFor,
  type ScriptedUpstream,
  type SeenRequest,
  scriptedUpstream,
  withSession,
} from '@/tests/proxy/scripted-upstream';
import { listen, stopServer, until } from '@/tests/proxy/start-proxy';

/** From a storm of refused clients to the person on call: every link of the chain is the real one. */
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
/** More than the fifty attempts that a rate is taken from. */
const CLIENTS = 64;
const SAID = { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'said' } };

let database: TestDatabase;
let sink: Receiver;
let upstream: ScriptedUpstream;
/** From then on the server sends events without ids too, so that what a cursor leads to cannot be told. */
let isBroken = false;
const cleanups: (() => Promise<void>)[] = [];

beforeAll(async () => {
  database = await startTestDatabase();
  sink = await startReceiver(SECRET);
  let sessions = 0;
  const pending = new Map<string, unknown>();
  upstream = await scriptedUpstream((request: SeenRequest) => {
    const token = String(request.headers['mcp-session-id'] ?? `S-${++sessions}`);
    withSession(token, ({ res, method, headers, body }) => {
      if (method === 'POST') {
        pending.set(token, JSON.parse(body.toString()).id);
        const unnamed = isBroken ? frame('', SAID).replace('id: \n', '') : '';
        openSse(res).end(`retry: 30\n${frame(`${token}-${sessions}-1`, SAID)}${unnamed}`);
      } else if (headers['last-event-id'] === undefined) res.writeHead(405).end();
      else openSse(res).end(frame(`${token}-${sessions}-2`, resultFor(pending.get(token))));
    })(request);
  });
});
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});
afterAll(async () => {
  await upstream?.stop();
  await sink?.stop();
  await database?.stop();
});

/** The product with one route in shadow, until it is stopped. */
async function start() {
  const routes = [{ ...ROUTE_DEFAULTS, name: 'search', upstream: upstream.url, refusal: 'auto' as const }];
  let service: ProxyService | undefined;
  const channels = [{ name: 'oncall', type: 'webhook' as const, url: sink.url, secret: SECRET }];
  const edge = await startEdge(
    database.postgres.connection,
    {
      routes: (parts) => {
        service = openProxy(
          { routes, redisUrl: null, auth: 'off', proxyHosts: [], proxyOrigins: [], alerts: { publicUrl: null } },
          {
            secret: TEST_SECRET,
            submit: (records) => parts.intake.submit(records),
            log: () => undefined,
            raise: parts.raise,
            modes: parts.proxyModes,
            stored: parts,
          },
        );
        return proxyRoutes(service, parts.noteChange);
      },
    },
    { alerts: { config: { channels, rules: [], allowPrivateTargets: ['127.0.0.1/32'] }, baseUrl: 'http://tidemark.example' } },
  );
  const proxy = service?.proxy;
  const server = createServer((request, response) => {
    if (proxy === undefined || !servePath(proxy, request, response)) response.writeHead(404).end();
  });
  const url = `http://127.0.0.1:${await listen(server)}/proxy/search`;
  const stop = async () => {
    await service?.close();
    await stopServer(server);
    await edge.stop();
  };
  const at = `${edge.base}/api/v1`;
  const route = async () => ((await call(`${at}/proxy/routes`)).body['items'] as Record<string, unknown>[])[0] ?? {};
  return { url, at, route, stop };
}

/** One call by each of many clients of both SDK lines, whose stream ends before its answer; how each call ended. */
async function storm(url: string): Promise<string[]> {
  const callOnce = async (_: unknown, i: number): Promise<string> => {
    const params = { name: 't', arguments: {} };
    const isV1 = i % 2 === 0;
    const [client, transport] = isV1
      ? [new Client({ name: 'c', version: '0' }), new StreamableHTTPClientTransport(new URL(url))]
      : [new ClientV2({ name: 'c', version: '0' }), new TransportV2(new URL(url))];
    await client.connect(transport as never);
    const ended = await client.callTool(params).then(
      () => 'answered',
      ({ code, data }: { code: number; data?: { reason?: string } }) => `${code} ${data?.reason}`,
    );
    await client.close();
    return ended;
  };
  return Promise.all(Array.from({ length: CLIENTS }, callOnce));
}

test('a storm of refused clients switches the route to shadow, stands in the change log, and reaches whoever is on call', async () => {
  const before = await start();
  cleanups.push(before.stop);
  expect(new Set(await storm(before.url))).toEqual(new Set(['answered']));
  await until(async () => ((await call(`${before.at}/summary?server=search`)).body['totals'] as { attempts: number }).attempts === CLIENTS);
  await cleanups.pop()?.();

  // A restart forgets what the process saw in shadow; what is stored of it foretells that nothing will be refused.
  const product = await start();
  cleanups.push(product.stop);
  await until(async () => (await product.route())['predicted_rate'] === 0);
  await call(`${product.at}/proxy/routes/search/mode`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: '{"mode":"enforce"}',
  });
  isBroken = true;
  const ended = await storm(product.url);
  expect(ended.filter((one) => one.startsWith('-32010')).length).toBeGreaterThanOrEqual(50);

  await until(async () => (await product.route())['mode'] === 'shadow');
  const changes = await until(async () => {
    const items = (await call(`${product.at}/changes?action=proxy.breaker_tripped`)).body['items'] as Record<string, unknown>[];
    return items.length > 0 && items;
  });
  expect(changes).toMatchObject([{ actor: 'system', subject: 'search', from: { mode: 'enforce' }, to: { mode: 'shadow' } }]);
  const told = await until(() => {
    const alerts = sink.requests.map(({ body, isSigned }) => ({ ...JSON.parse(body), isSigned }));
    return alerts.find(({ data }) => data.rule === 'proxy-breaker');
  });
  expect(told).toMatchObject({ type: 'alert.opened', isSigned: true, data: { labels: { server: 'search' }, severity: 'error' } });
  expect(told.data.detail).toMatch(
    /^Route search is in shadow now: far more attempts were refused than shadow mode predicted; \d+ of \d+ /,
  );
  const firing = (await call(`${product.at}/alerts`)).body['items'] as Record<string, unknown>[];
  expect(firing.filter(({ rule }) => rule === 'proxy-breaker')).toMatchObject([{ state: 'firing', labels: { server: 'search' } }]);

  // Nobody is refused any more.
  expect(new Set(await storm(product.url))).toEqual(new Set(['answered']));
});
