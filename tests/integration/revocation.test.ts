import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import WebSocket from 'ws';
import { connectDatabase } from '@/db/connect';
import { Transactions } from '@/db/transactions';
import { newKeyText } from '@/lib/http/key-text';
import { openAccessKeys } from '@/server/access-keys';
import { call } from './api-client';
import { attemptRecord } from './attempt-record';
import { startTestDatabase, type TestDatabase } from './database';
import { type Edge, startEdge, TEST_SECRET } from './edge';
import { openHoldingWay } from './holding-way';
import { openSocket } from './socket-client';

const ROOT = 'a-key-of-the-configuration-file';
const CONFIGURED = [{ name: 'root', key: ROOT, scopes: ['admin'] as const }];
const ALERTS = { config: { channels: [], rules: [], allowPrivateTargets: [] }, baseUrl: 'http://127.0.0.1' };
let database: TestDatabase;
let edge: Edge;
let other: Edge;
let nowMs = Date.now();

beforeAll(async () => {
  database = await startTestDatabase();
  const config = { auth: 'on', keys: CONFIGURED, alerts: ALERTS } as const;
  edge = await startEdge(database.postgres.connection, { now: () => nowMs }, config);
  other = await startEdge(database.postgres.connection, {}, config);
});

afterAll(async () => {
  await edge?.stop();
  await other?.stop();
  await database?.stop();
});

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const ask = (method: string, path: string, body?: unknown) =>
  call(`${edge.base}${path}`, {
    method,
    headers: { ...bearer(ROOT), 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
const create = async (members: Record<string, unknown>) => (await ask('POST', '/api/v1/keys', members)).body as { id: string; key: string };

/** A sender of the key, connected and acknowledged once. */
async function senderOf(key: string, at: Edge) {
  const client = await openSocket(at.base, bearer(key));
  client.send({ seq: 1, records: [attemptRecord()] });
  expect(await client.answer()).toMatchObject({ ack: 1, accepted: 1 });
  return client;
}

describe('an open connection of a key', () => {
  test('ends with 4403 when the key is revoked, and nothing is acknowledged from then on', async () => {
    const { id, key } = await create({ label: 'revoked', scopes: ['ingest'] });
    const stays = await senderOf((await create({ label: 'kept', scopes: ['ingest'] })).key, edge);
    const client = await senderOf(key, edge);
    expect((await ask('DELETE', `/api/v1/keys/${id}`)).status).toBe(200);
    if (client.socket.readyState === WebSocket.OPEN) client.send({ seq: 2, records: [attemptRecord()] });
    await expect(client.answer()).rejects.toThrow('closed with 4403');
    expect(await client.closed).toEqual({ code: 4403, reason: 'key_unknown' });
    stays.send({ seq: 2, records: [] });
    expect(await stays.answer()).toMatchObject({ ack: 2 });
    stays.socket.close();
  });

  test('ends with 4403 in a process that was not asked to revoke it', async () => {
    const { id, key } = await create({ label: 'revoked elsewhere', scopes: ['ingest'] });
    await expect
      .poll(() => call(`${other.base}/api/v1/telemetry`, { method: 'POST', headers: bearer(key) }))
      .not.toMatchObject({ status: 403 });
    const client = await senderOf(key, other);
    await ask('DELETE', `/api/v1/keys/${id}`);
    expect(await client.closed).toEqual({ code: 4403, reason: 'key_unknown' });
  });

  test('ends with 4403 once the key has expired', async () => {
    const { key } = await create({ label: 'for a minute', scopes: ['ingest'], expires_in_s: 60 });
    const client = await senderOf(key, edge);
    nowMs += 60_000;
    await create({ label: 'a change of keys', scopes: ['read'] });
    expect(await client.closed).toEqual({ code: 4403, reason: 'key_unknown' });
  });

  test('ends too where it is a page of the live feed', async () => {
    const { id, key } = await create({ label: 'page', scopes: ['read'] });
    const page = new WebSocket(`${edge.base.replace('http', 'ws')}/api/v1/live`, { headers: bearer(key) });
    const closed = new Promise((resolve) => page.on('close', resolve));
    await new Promise((resolve) => page.on('open', resolve));
    await ask('DELETE', `/api/v1/keys/${id}`);
    await closed;
  });
});

test('a read of the keys that a later one overtook does not bring a revoked key back', async () => {
  const { connection } = database.postgres;
  const way = await openHoldingWay(connection);
  const transactions = new Transactions(connection, 1, 'test');
  const sql = connectDatabase({ ...connection, host: '127.0.0.1', port: way.port }, 3, 'test');
  const keys = await openAccessKeys({ sql, transactions, secret: TEST_SECRET, configured: [], now: Date.now, log: () => undefined });
  const { text, prefix } = newKeyText();
  const id = randomUUID();
  const key = {
    id,
    prefix,
    hash: keys.hasher.hashOf(text).toString('hex'),
    label: 'raced',
    project: null,
    scopes: ['read'],
    expiresAtMs: null,
  } as const;
  const change = { actor: 'root', atMs: Date.now() };
  await keys.store.create(key, change);
  await keys.reload();
  expect(keys.ring.callerOf(text)).not.toBe(null);
  const isHeld = way.hold();
  const early = keys.reload();
  await isHeld;
  await keys.store.revoke(id, change);
  await keys.reload();
  expect(keys.ring.callerOf(text)).toBe(null);
  way.release();
  await early;
  expect(keys.ring.callerOf(text)).toBe(null);
  await keys.close();
  way.close();
  await Promise.all([sql.end({ timeout: 1 }), transactions.close()]);
});
