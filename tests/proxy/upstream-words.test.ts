import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { NumberedRingStore } from '@/demo/servers/numbered-ring-store';
import { postMessage, restoreSession, toolCall } from '@/demo/servers/restore-session';
import { startV1Server } from '@/demo/servers/sdk-v1-server';
import type { EnforcingProxy } from '@/lib/proxy/create-proxy';
import { type ProxyRoute, ROUTE_DEFAULTS } from '@/lib/proxy/route';
import { servePath } from '@/lib/proxy/serve-path';
import { createTidemark } from '@/packages/mcp/src/index';
import { openProxy } from '@/server/proxy-service';
import { type CuttableWay, openWay } from '@/tests/integration/cuttable-way';
import { startTestDatabase, type TestDatabase } from '@/tests/integration/database';
import { startEdge, TEST_SECRET } from '@/tests/integration/edge';
import { initialize, openStream, postStream, resume } from '@/tests/proxy/raw-client';
import { listen, stopServer, until } from '@/tests/proxy/start-proxy';

/**
 * Instrumented SDK servers behind an address that always answers, as behind a balancer: neither a refused connection nor
 * a header says that another process is there. Only its telemetry does.
 */
let database: TestDatabase;
beforeAll(async () => {
  database = await startTestDatabase();
});
afterAll(() => database?.stop());

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** A proxy in a process with a database, and the way to its upstream. */
async function inFront(server: string, spec: Partial<ProxyRoute> = {}) {
  const way = await openWay();
  cleanups.push(() => way.close());
  const route: ProxyRoute = { ...ROUTE_DEFAULTS, name: 'r', upstream: `${way.url}/mcp`, mode: 'enforce', server, ...spec };
  const opened: EnforcingProxy[] = [];
  const edge = await startEdge(database.postgres.connection, {
    routes: (parts) => {
      const deps = { secret: TEST_SECRET, submit: null, log: () => undefined, stored: parts };
      const service = openProxy(
        { routes: [route], redisUrl: null, auth: 'off', proxyHosts: [], proxyOrigins: [], alerts: { publicUrl: null } },
        deps,
      );
      opened.push(service.proxy);
      cleanups.push(() => service.close());
      return [];
    },
  });
  cleanups.push(() => edge.stop());
  const http = createServer((req, res) => {
    const [proxy] = opened;
    if (proxy === undefined || !servePath(proxy, req, res)) res.writeHead(404).end();
  });
  const url = `http://127.0.0.1:${await listen(http)}/proxy/r`;
  cleanups.push(() => stopServer(http));
  return { way, url, base: edge.base, server };
}

interface LifeOptions {
  readonly node?: string;
  readonly hashSessions?: boolean;
}

/** One life of an instrumented server that numbers its events from 1, and that new connections of the way lead to. */
async function begin(at: { way: CuttableWay; base: string; server: string }, { node = 'n1', hashSessions = false }: LifeOptions = {}) {
  const tidemark = createTidemark({ url: at.base, server: at.server, node, hashSessions, flushIntervalMs: 5, onProblem: () => undefined });
  cleanups.push(() => tidemark.close(100));
  const openStore = (sessionId: string) => tidemark.eventStore(new NumberedRingStore(200), { sessionId });
  const running = await startV1Server({ openStore });
  cleanups.push(() => running.close());
  at.way.lead(running.url.origin);
  return { tidemark, url: running.url };
}

/** The server takes the session over, as from a store, and has sent more events in it than before by now. */
async function takeOver(url: URL, token: string): Promise<void> {
  await restoreSession(url, token);
  await postMessage(url, token, toolCall(1, 'announce', { count: 12, drop: false }));
}

/** A session with three events on its standalone stream, which its client then leaves; answers the cursor it has. */
async function listener(url: string) {
  const session = await initialize(url);
  const stream = await openStream(url, { headers: session });
  const call = await postStream(url, session, JSON.stringify(toolCall(1, 'announce', { count: 3, drop: false })));
  await until(() => stream.events.length === 3 && call.isEnded());
  stream.close();
  return { session, token: session['mcp-session-id'] ?? '', cursor: stream.events.at(-1)?.id ?? '' };
}

/**
 * Comes back with the cursor until it is refused for its generation, or the session is gone; answers with that. What the
 * server replays before its telemetry was heard is held against the log, and may be refused for that.
 */
const untilRefused = (url: string, session: Record<string, string>, cursor: string) =>
  until(async () => {
    const stream = await resume(url, session, cursor);
    if (stream.status !== 200) await until(stream.isEnded);
    stream.close();
    if (stream.status === 200) return null;
    const { reason } = JSON.parse(stream.bytes().toString()).error.data;
    return stream.status === 404 || reason.startsWith('generation') ? [stream.status, reason] : null;
  });

test.each(['upstream', 'proxy'] as const)(
  'the process of a session began anew: refused for its generation, then fenced; replay %s',
  async (replay) => {
    const at = await inFront(randomUUID(), { replay });
    await (await begin(at)).tidemark.flush();
    const { session, token, cursor } = await listener(at.url);
    const second = await begin(at);
    await takeOver(second.url, token);
    // Where both labels are heard at once, it is not known which of them issued the cursor.
    expect(await untilRefused(at.url, session, cursor)).toEqual([409, expect.stringMatching(/^generation_(mismatch|unknown)$/)]);
    expect(await untilRefused(at.url, session, cursor)).toEqual([404, 'session_gone']);
    expect((await initialize(at.url))['mcp-session-id']).not.toBe(token);
  },
);

test('a process of a new name while nothing is told of the session: generation_unknown', async () => {
  const at = await inFront(randomUUID());
  await (await begin(at, { hashSessions: true })).tidemark.flush();
  const { session, token, cursor } = await listener(at.url);
  const second = await begin(at, { node: 'n2', hashSessions: true });
  await takeOver(second.url, token);
  expect(await untilRefused(at.url, session, cursor)).toEqual([409, 'generation_unknown']);
});

test('what comes late, twice, or of another process whose name is known, changes nothing', async () => {
  const at = await inFront(randomUUID());
  const neighbour = createTidemark({ url: at.base, server: at.server, node: 'n2', flushIntervalMs: 5, onProblem: () => undefined });
  cleanups.push(() => neighbour.close(100));
  await neighbour.flush();
  const { tidemark } = await begin(at);
  await tidemark.flush();
  const { session, token, cursor } = await listener(at.url);
  await tidemark.flush();
  const past = Date.now() - 3_600_000;
  tidemark.record({ type: 'boot', generation: 'an old life', at: past });
  tidemark.record({ type: 'boot', generation: tidemark.generation });
  tidemark.record({ type: 'session', session: token, event: 'created', generation: 'an old life', at: past });
  await tidemark.flush();
  neighbour.record({ type: 'boot', generation: 'the next life of the neighbour' });
  await neighbour.flush();
  // Heard by then: a session that was told of after all of it is judged by it.
  const other = await listener(at.url);
  tidemark.record({ type: 'session', session: other.token, event: 'restored', generation: 'rebuilt' });
  await tidemark.flush();
  // Restored before its first label was taken note of, or after: which cursors that reaches may not be known.
  expect(await untilRefused(at.url, other.session, other.cursor)).toEqual([409, expect.stringMatching(/^generation_/)]);
  const served = await resume(at.url, session, cursor);
  expect(served.status).toBe(200);
  served.close();
});
