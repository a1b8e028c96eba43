import { afterAll, beforeAll, expect, test } from 'vitest';
import WebSocket from 'ws';
import { call, postJson } from './api-client';
import { attemptRecord } from './attempt-record';
import { startTestDatabase, type TestDatabase } from './database';
import { type Edge, startEdge } from './edge';

const KEY = 'a-key-of-the-configuration-file';
let database: TestDatabase;
let edge: Edge;
let closed: Edge;

beforeAll(async () => {
  database = await startTestDatabase();
  edge = await startEdge(database.postgres.connection, {}, { auth: 'on', keys: ['another', KEY] });
  closed = await startEdge(database.postgres.connection, {}, { auth: 'on' });
});

afterAll(async () => {
  await edge?.stop();
  await closed?.stop();
  await database?.stop();
});

const asking = (authorization: string | null) => (authorization === null ? {} : { headers: { authorization } });

test.each([
  { authorization: null, status: 401, code: 'key_missing' },
  { authorization: 'Bearer', status: 401, code: 'key_missing' },
  { authorization: `Basic ${KEY}`, status: 401, code: 'key_missing' },
  { authorization: `Bearer ${KEY}x`, status: 403, code: 'key_unknown' },
  { authorization: `Bearer ${KEY.slice(1)}`, status: 403, code: 'key_unknown' },
])('with authentication on, $authorization is refused everywhere', async ({ authorization, status, code }) => {
  for (const path of ['/api/v1/attempts', '/api/v1/summary', '/api/openapi.json', '/metrics']) {
    expect(await call(`${edge.base}${path}`, asking(authorization))).toMatchObject({ status, body: { error: { code } } });
  }
});

test('a key of the configuration file passes, and what watches the process needs none', async () => {
  expect((await call(`${edge.base}/api/v1/attempts`, asking(`Bearer ${KEY}`))).status).toBe(200);
  expect((await call(`${edge.base}/healthz`)).status).toBe(200);
});

test('nothing is stored of a sender without a key', async () => {
  expect((await postJson(`${edge.base}/api/v1/telemetry`, attemptRecord({ server: 'uninvited' }))).status).toBe(401);
  const listed = await call(`${edge.base}/api/v1/attempts?server=uninvited`, asking(`Bearer ${KEY}`));
  expect(listed.body['items']).toEqual([]);
});

test('a WebSocket without a key is refused', async () => {
  const socket = new WebSocket(`${edge.base.replace('http', 'ws')}/api/v1/live`);
  const status = await new Promise((resolve) => socket.on('unexpected-response', (_request, response) => resolve(response.statusCode)));
  socket.on('error', () => undefined);
  socket.terminate();
  expect(status).toBe(401);
});

test('authentication without any key lets nobody in', async () => {
  expect((await call(`${closed.base}/api/v1/attempts`, asking(`Bearer ${KEY}`))).status).toBe(403);
});
