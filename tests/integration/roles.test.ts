import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import WebSocket from 'ws';
import { ROLES, SCOPE_OF_ROLE } from '@/lib/access/roles';
import { call, type Reply } from './api-client';
import { startTestDatabase, type TestDatabase } from './database';
import { type GuardedEdge, memberOf, startGuardedEdge, Visitor } from './members';

interface Operation {
  readonly method: string;
  readonly path: string;
  /** The scope that it asks for; null lets anybody call it. */
  readonly scope: string | null;
}

const MAY: Readonly<Record<string, readonly string[]>> = {
  ingest: ['admin'],
  read: ['viewer', 'operator', 'admin'],
  operate: ['operator', 'admin'],
  admin: ['admin'],
};
/** They end the sign-in that the others need; `sign-in.test.ts` is about them. */
const OF_THE_SIGN_IN = new Set(['/api/v1/sign-in', '/api/v1/sign-out', '/api/v1/me/password']);

let database: TestDatabase;
let edge: GuardedEdge;
const visitors = new Map<string, Visitor>();
let operations: Operation[];

beforeAll(async () => {
  database = await startTestDatabase();
  const alerts = { config: { channels: [], rules: [], allowPrivateTargets: [] }, baseUrl: 'http://127.0.0.1' };
  edge = await startGuardedEdge(database.postgres.connection, {}, { alerts });
  const admin = new Visitor(edge);
  await admin.join(edge.firstLink(), 'ada@example.org');
  for (const role of ROLES) visitors.set(role, await memberOf(edge, admin, role, `${role}@example.org`));
  const { body } = await admin.send('GET', '/api/openapi.json');
  operations = Object.entries(body['paths'] as Record<string, Record<string, { security: { member?: string[] }[] }>>).flatMap(
    ([path, methods]) =>
      Object.entries(methods).map(([method, { security }]) => ({
        method: method.toUpperCase(),
        path,
        scope: security.flatMap(({ member = [] }) => member)[0] ?? null,
      })),
  );
});

afterAll(async () => {
  await edge?.stop();
  await database?.stop();
});

const reachable = () => operations.filter(({ path }) => !OF_THE_SIGN_IN.has(path));
const refused = ({ status, body }: Reply): boolean =>
  status === 401 || (status === 403 && ['scope_missing', 'key_unknown', 'cross_origin'].includes((body['error'] as { code: string }).code));
/** Nothing of this id exists: who is let in learns that, and changes nothing. */
const concrete = (path: string): string => path.replaceAll(/\{\w+\}/g, '00000000-0000-4000-8000-000000000000');
const ask = (visitor: Visitor, { method, path }: Operation) =>
  visitor.send(method, concrete(path), method === 'GET' || method === 'DELETE' ? undefined : {}, { 'x-asked': 'by the matrix' });
const readable = async (reply: Promise<Reply>): Promise<Reply> =>
  reply.catch((cause: unknown) => {
    // Answers that are no JSON belong to whoever was let in.
    if (cause instanceof SyntaxError) return { status: 200, headers: new Headers(), body: {} };
    throw cause;
  });

describe.each(ROLES)('the role %s', (role) => {
  test('may call exactly the routes whose scope it stands for', async () => {
    const visitor = visitors.get(role) ?? new Visitor(edge);
    const wrong: string[] = [];
    for (const operation of reachable()) {
      const isIn = operation.scope === null || MAY[operation.scope]?.includes(role) === true;
      if (refused(await readable(ask(visitor, operation))) === isIn) wrong.push(`${operation.method} ${operation.path}`);
    }
    expect(wrong).toEqual([]);
    expect(SCOPE_OF_ROLE[role]).toBeDefined();
  });

  test.each([
    { path: '/api/v1/live', scope: 'read' },
    { path: '/api/v1/telemetry/ws', scope: 'ingest' },
  ])('opens the WebSocket $path where it may, from a page of our own only', async ({ path, scope }) => {
    const cookie = visitors.get(role)?.cookie ?? '';
    const open = (origin: string) =>
      new Promise<number>((resolve, reject) => {
        const socket = new WebSocket(`${edge.base.replace('http', 'ws')}${path}`, { headers: { cookie, origin } });
        socket.on('open', () => {
          socket.terminate();
          resolve(101);
        });
        socket.on('unexpected-response', (_request, response) => {
          resolve(response.statusCode ?? 0);
          socket.terminate();
        });
        socket.on('error', (cause) => (socket.readyState === WebSocket.CLOSING ? undefined : reject(cause)));
      });
    expect(await open(edge.base)).toBe(MAY[scope]?.includes(role) === true ? 101 : 403);
    expect(await open('https://evil.example')).toBe(403);
  });
});

test('nobody at all may call a route that asks for a scope, and nobody is told whether it exists', async () => {
  const nobody = new Visitor(edge);
  const open = reachable().filter(({ scope }) => scope === null);
  for (const operation of reachable().filter(({ scope }) => scope !== null))
    expect((await ask(nobody, operation)).status, `${operation.method} ${operation.path}`).toBe(401);
  expect((await call(`${edge.base}/api/v1/nowhere`)).status).toBe(401);
  expect(open.map(({ method, path }) => `${method} ${path}`).sort()).toEqual([
    'GET /api/v1/access',
    'GET /api/v1/alerts/ack',
    'GET /api/v1/shared/{token}',
    'GET /api/v1/shared/{token}/records',
    'GET /api/v1/shared/{token}/report',
    'GET /api/v1/shared/{token}/timeline',
    'GET /api/v1/sign-in/callback/oidc',
    'GET /healthz',
    'GET /readyz',
    'POST /api/v1/alerts/ack',
    'POST /api/v1/join',
    'POST /api/v1/join/look',
    'POST /api/v1/sign-in/provider',
  ]);
});

test('every route states its scope in the OpenAPI document, for keys and members alike', async () => {
  const { body } = await (visitors.get('admin') ?? new Visitor(edge)).send('GET', '/api/openapi.json');
  for (const methods of Object.values(body['paths'] as Record<string, Record<string, { security: Record<string, string[]>[] }>>)) {
    for (const { security } of Object.values(methods))
      expect(security.length === 0 || JSON.stringify(security[0]?.['key']) === JSON.stringify(security[1]?.['member'])).toBe(true);
  }
});

test('what a member does is done in their own name, whatever name the request gives', async () => {
  const operator = visitors.get('operator') ?? new Visitor(edge);
  const records = [{ type: 'resume_attempt', last_event_id: '3', cursor: 3, floor: 10, head: 12, verdict: 'resumed', status: 200 }];
  const { body } = await operator.send('POST', '/api/v1/incidents/import', { title: 'a history', records });
  await operator.send('POST', `/api/v1/incidents/${body['id']}/comments`, { text: 'looked at it', author: 'ada@example.org' });
  const log = (await operator.send('GET', `/api/v1/incidents/${body['id']}/log`)).body['items'] as { type: string; actor: string }[];
  expect(log.map(({ actor }) => actor)).toEqual(Array(log.length).fill('operator@example.org'));
});
