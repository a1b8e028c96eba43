import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ROUTE_DEFAULTS } from '@/lib/proxy/route';
import { servePath } from '@/lib/proxy/serve-path';
import type { TelemetryRecord } from '@/lib/wire/schema';
import { proxyRoutes } from '@/server/api/proxy-routes';
import { openProxy, type ProxyService } from '@/server/proxy-service';
import type { ServiceParts } from '@/server/services';
import { call } from '@/tests/integration/api-client';
import { startTestDatabase, type TestDatabase } from '@/tests/integration/database';
import { type Edge, startEdge, TEST_SECRET } from '@/tests/integration/edge';
import { fetchRaw, initialize, post, resume, rpc } from '@/tests/proxy/raw-client';
import { type RunningServer, serverEverything } from '@/tests/proxy/real-servers';
import { listen, stopServer, until } from '@/tests/proxy/start-proxy';

let database: TestDatabase;
let edge: Edge;
let upstream: RunningServer;
let service: ProxyService;
let server: Server;
let proxied = '';

beforeAll(async () => {
  database = await startTestDatabase();
  upstream = await serverEverything();
  edge = await startEdge(database.postgres.connection);
  const routes = [{ ...ROUTE_DEFAULTS, name: 'everything', upstream: upstream.url, mode: 'enforce' as const }];
  service = openProxy(
    { routes, redisUrl: null, auth: 'off', proxyHosts: [], proxyOrigins: [], alerts: { publicUrl: null } },
    { secret: TEST_SECRET, submit: (records) => edge.services.intake.submit(records), log: () => undefined },
  );
  server = createServer((request, response) => {
    if (!servePath(service.proxy, request, response)) response.writeHead(404).end();
  });
  proxied = `http://127.0.0.1:${await listen(server)}/proxy`;
});

afterAll(async () => {
  await service?.close();
  if (server !== undefined) await stopServer(server);
  await edge?.stop();
  await upstream?.stop();
  await database?.stop();
});

test('in front of a server that answers an unknown cursor with a silent 200, the app refuses it and shows the attempt', async () => {
  const url = `${proxied}/everything`;
  const session = await initialize(url);
  const listed = await post(url, session, rpc(2, 'tools/list'));
  expect(listed.status).toBe(200);

  const refused = await resume(url, session, 'never-issued');
  expect(refused.status).toBe(409);
  expect(refused.headers['cache-control']).toBe('no-store');

  const attempt = await until(async () => {
    const { items } = (await call(`${edge.base}/api/v1/attempts?server=everything`)).body;
    return Array.isArray(items) && items.length > 0 ? items[0] : null;
  });
  expect(attempt).toMatchObject({ last_event_id: 'never-issued', verdict: 'refused', status: 409, assessment: 'correct' });
  expect(attempt.decision).toMatchObject({ verdict: 'refuse', reason: 'unknown_cursor' });
  const token = Object.values(session).find((value) => value.length > 20) ?? 'no token';
  expect(JSON.stringify(attempt)).not.toContain(token);
});

test('a mode that was switched at run time stands in the change log, outlives a restart and reaches another replica', async () => {
  const routes = [{ ...ROUTE_DEFAULTS, name: 'switched', upstream: upstream.url }];
  const opened: ProxyService[] = [];
  const open = (modes: ServiceParts['proxyModes']): ProxyService => {
    const deps = { secret: TEST_SECRET, submit: null, log: () => undefined, modes };
    const one = openProxy({ routes, redisUrl: null, auth: 'off', proxyHosts: [], proxyOrigins: [], alerts: { publicUrl: null } }, deps);
    opened.push(one);
    return one;
  };
  const mounted = await startEdge(database.postgres.connection, {
    routes: ({ proxyModes, noteChange }) => proxyRoutes(open(proxyModes), noteChange),
  });
  const modes = mounted.services.proxyModes;
  const replica = open(modes);
  const modeOf = ({ proxy }: ProxyService) => proxy.routes()[0]?.mode;
  const shareOf = ({ proxy }: ProxyService) => proxy.routes()[0]?.canaryPercent;
  const put = (mode: string, canary_percent?: unknown) =>
    call(`${mounted.base}/api/v1/proxy/routes/switched/mode`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ mode, canary_percent }),
    });
  expect((await put('enforce')).body).toMatchObject({ mode: 'enforce', configured_mode: 'shadow' });
  await until(async () => modeOf(replica) === 'enforce');
  const { items } = (await call(`${mounted.base}/api/v1/changes?action=proxy.mode_switched`)).body;
  expect(items).toMatchObject([{ actor: 'local', subject: 'switched', from: { mode: 'shadow' }, to: { mode: 'enforce' } }]);
  const restarted = open(modes);
  await until(async () => modeOf(restarted) === 'enforce');
  expect((await put('canary', 25)).body).toMatchObject({ mode: 'canary', canary_percent: 25, configured_canary_percent: 10 });
  expect((await put('canary', 50.5)).body).toMatchObject({ mode: 'canary', canary_percent: 50.5 });
  await until(async () => shareOf(replica) === 50.5 && modeOf(replica) === 'canary');
  const late = open(modes);
  await until(async () => shareOf(late) === 50.5);
  expect((await put('canary')).body).toMatchObject({ canary_percent: 50.5 });
  for (const wrong of [-1, 101, '5']) expect((await put('canary', wrong)).body['error']).toMatchObject({ path: 'canary_percent' });
  const log = (await call(`${mounted.base}/api/v1/changes?action=proxy.mode_switched`)).body['items'];
  expect(log).toMatchObject([
    { from: { mode: 'canary', canary_percent: 25 }, to: { mode: 'canary', canary_percent: 50.5 } },
    { from: { mode: 'enforce', canary_percent: 10 }, to: { mode: 'canary', canary_percent: 25 } },
    {},
  ]);
  expect((await call(`${mounted.base}/api/v1/annotations`)).body['items']).toMatchObject([
    { label: 'switched → enforce' },
    { label: 'switched → canary 25 %' },
    { label: 'switched → canary 50.5 %' },
  ]);
  // Back to what the configuration says: nothing stands over it any more.
  await put('shadow', 10);
  expect(await modes.read()).toEqual(new Map());
  await until(async () => modeOf(replica) === 'shadow');
  for (const one of opened) await one.close();
  await mounted.stop();
});

test('what an earlier process gave up of its telemetry is told by the first record of its route, and kept for a route without one', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tidemark-untold-'));
  const untoldFile = join(folder, 'untold.json');
  writeFileSync(untoldFile, JSON.stringify({ told: 3, silent: 4 }));
  const records: TelemetryRecord[] = [];
  const one = openProxy(
    {
      routes: [{ ...ROUTE_DEFAULTS, name: 'told', upstream: upstream.url }],
      redisUrl: null,
      auth: 'off',
      proxyHosts: [],
      proxyOrigins: [],
      alerts: { publicUrl: null },
    },
    { secret: TEST_SECRET, submit: async (batch) => records.push(...batch), log: () => undefined, untoldFile },
  );
  const front = createServer((request, response) => void servePath(one.proxy, request, response));
  await initialize(`http://127.0.0.1:${await listen(front)}/proxy/told`);
  await one.close();
  await stopServer(front);
  expect(records.length).toBeGreaterThan(0);
  expect(records.map(({ server: of, dropped_before: dropped = 0 }) => [of, dropped])).toEqual(
    records.map((_record, index) => ['told', index === 0 ? 3 : 0]),
  );
  expect(JSON.parse(readFileSync(untoldFile, 'utf8'))).toEqual({ silent: 4 });
  rmSync(folder, { recursive: true });
});

test('the list of live sessions says that it is of this process alone; over a Redis that cannot be reached there is none', async () => {
  const routes = [{ ...ROUTE_DEFAULTS, name: 'listed', upstream: upstream.url }];
  const listed = async (redisUrl: string | null) => {
    const deps = { secret: TEST_SECRET, submit: null, log: () => undefined };
    const one = openProxy({ routes, redisUrl, auth: 'off', proxyHosts: [], proxyOrigins: [], alerts: { publicUrl: null } }, deps);
    const mounted = await startEdge(database.postgres.connection, { routes: ({ noteChange }) => proxyRoutes(one, noteChange) });
    const answer = await call(`${mounted.base}/api/v1/proxy/routes/listed/sessions`);
    await mounted.stop();
    await one.close();
    return answer;
  };
  expect((await listed(null)).body).toEqual({ items: [], replicas: null, silent: 0 });
  const unreachable = await listed('redis://127.0.0.1:1');
  expect([unreachable.status, unreachable.body['error']]).toMatchObject([503, { code: 'session_log_unavailable' }]);
});

test('a route that is not configured reaches nothing', async () => {
  const answer = await fetchRaw(`${proxied}/elsewhere`, { method: 'POST', body: rpc(1, 'initialize') });
  expect(answer.status).toBe(404);
});
