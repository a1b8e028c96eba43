import type { IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import WebSocket from 'ws';
import { connectDatabase, type Sql } from '@/db/connect';
import { call, type Reply } from './api-client';
import { attemptRecord } from './attempt-record';
import { startTestDatabase, type TestDatabase } from './database';
import { type Edge, startEdge } from './edge';

const KEY = 'a-key-of-the-configuration-file';
const READER = 'another-key-that-only-reads';
const CONFIGURED = [
  { name: 'reader', key: READER, scopes: ['read'] as const },
  { name: 'root', key: KEY, scopes: ['admin'] as const },
];
const ALERTS = { config: { channels: [], rules: [], allowPrivateTargets: [] }, baseUrl: 'http://127.0.0.1' };
let database: TestDatabase;
let edge: Edge;
let closed: Edge;
let sql: Sql;
let nowMs = Date.now();

beforeAll(async () => {
  database = await startTestDatabase();
  edge = await startEdge(database.postgres.connection, { now: () => nowMs }, { auth: 'on', keys: CONFIGURED, alerts: ALERTS });
  closed = await startEdge(database.postgres.connection, {}, { auth: 'on' });
  sql = connectDatabase(database.postgres.connection, 1, 'test');
});

afterAll(async () => {
  await sql?.end({ timeout: 1 });
  await edge?.stop();
  await closed?.stop();
  await database?.stop();
});

const asking = (authorization: string | null) => (authorization === null ? {} : { headers: { authorization } });
const ask = (key: string, method: string, path: string, body?: unknown, at: Edge = edge): Promise<Reply> =>
  call(`${at.base}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
const create = async (members: Record<string, unknown>): Promise<{ id: string; key: string }> => {
  const { status, body } = await ask(KEY, 'POST', '/api/v1/keys', members);
  expect(status).toBe(201);
  return body as { id: string; key: string };
};
const listed = async (id: string): Promise<Record<string, unknown> | undefined> => {
  const items = (await ask(KEY, 'GET', '/api/v1/keys')).body['items'] as Record<string, unknown>[];
  return items.find((item) => item['id'] === id);
};
const statusWith = async (key: string): Promise<number> => (await ask(key, 'POST', '/api/v1/telemetry', [attemptRecord()])).status;

describe('with authentication on', () => {
  test.each([
    { authorization: null, status: 401, code: 'key_missing' },
    { authorization: 'Bearer', status: 401, code: 'key_missing' },
    { authorization: `Basic ${KEY}`, status: 401, code: 'key_missing' },
    { authorization: `Bearer ${KEY}x`, status: 403, code: 'key_unknown' },
    { authorization: `Bearer ${KEY.slice(1)}`, status: 403, code: 'key_unknown' },
    { authorization: `Bearer tdm_0123456789ab_${'A'.repeat(43)}`, status: 403, code: 'key_unknown' },
  ])('$authorization is refused everywhere', async ({ authorization, status, code }) => {
    for (const path of ['/api/v1/attempts', '/api/v1/summary', '/api/openapi.json', '/metrics', '/api/v1/nowhere']) {
      expect(await call(`${edge.base}${path}`, asking(authorization))).toMatchObject({ status, body: { error: { code } } });
    }
  });

  test('a key of the configuration file passes, and what watches the process needs none', async () => {
    expect((await call(`${edge.base}/api/v1/attempts`, asking(`Bearer ${KEY}`))).status).toBe(200);
    expect((await call(`${edge.base}/healthz`)).status).toBe(200);
  });

  test('nothing is stored of a sender without a key', async () => {
    const init = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(attemptRecord({ server: 'uninvited' })),
    };
    expect((await call(`${edge.base}/api/v1/telemetry`, init)).status).toBe(401);
    expect((await ask(KEY, 'GET', '/api/v1/attempts?server=uninvited')).body['items']).toEqual([]);
  });

  test.each(['/api/v1/live', '/api/v1/telemetry/ws'])('a WebSocket to %s without a key is refused', async (path) => {
    const socket = new WebSocket(`${edge.base.replace('http', 'ws')}${path}`);
    const answer = await new Promise<IncomingMessage>((resolve) =>
      socket.on('unexpected-response', (_request, response) => resolve(response)),
    );
    socket.on('error', () => undefined);
    socket.terminate();
    expect([answer.statusCode, answer.headers['www-authenticate']]).toEqual([401, 'Bearer']);
  });

  test('and no key anywhere, nobody gets in', async () => {
    expect((await call(`${closed.base}/api/v1/attempts`, asking(`Bearer ${KEY}`))).status).toBe(403);
  });
});

describe('a key made through the API', () => {
  test.each([
    { scopes: ['ingest'], send: 202, read: 403, operate: 403, administer: 403 },
    { scopes: ['read'], send: 403, read: 200, operate: 403, administer: 403 },
    { scopes: ['operate'], send: 403, read: 200, operate: 400, administer: 403 },
    { scopes: ['ingest', 'read'], send: 202, read: 200, operate: 403, administer: 403 },
    { scopes: ['admin'], send: 202, read: 200, operate: 400, administer: 200 },
  ])('with $scopes may do that and nothing else', async ({ scopes, send, read, operate, administer }) => {
    const { key } = await create({ label: 'scoped', scopes });
    expect(await statusWith(key)).toBe(send);
    expect((await ask(key, 'GET', '/api/v1/summary')).status).toBe(read);
    expect((await ask(key, 'POST', '/api/v1/alerts/silences', {})).status).toBe(operate);
    expect((await ask(key, 'GET', '/api/v1/keys')).status).toBe(administer);
  });

  test('is shown once: neither the list nor any table holds it', async () => {
    expect((await ask(KEY, 'POST', '/api/v1/projects', { name: 'search' })).status).toBe(201);
    const { id, key } = await create({ label: 'shown once', project: 'search', scopes: ['ingest'] });
    const item = await listed(id);
    expect(item).toMatchObject({ label: 'shown once', project: 'search', scopes: ['ingest'], state: 'active', created_by: 'root' });
    expect(key.startsWith(String(item?.['prefix']))).toBe(true);
    const secret = key.split('_').slice(2).join('_');
    const tables = await sql<{ name: string }[]>`
      select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`;
    for (const { name } of tables) {
      const [row] = await sql<{ leaks: number }[]>`select count(*)::int as leaks from ${sql(name)} t where strpos(t::text, ${secret}) > 0`;
      expect(row?.leaks, name).toBe(0);
    }
  });

  test('passes beside its successor until the overlap of a rotation ends, on the instant', async () => {
    const old = await create({ label: 'rotated', scopes: ['ingest'] });
    const { status, body } = await ask(KEY, 'POST', `/api/v1/keys/${old.id}/rotate`, { overlap_s: 60 });
    expect(status).toBe(201);
    const next = body as { id: string; key: string };
    expect([await statusWith(old.key), await statusWith(next.key)]).toEqual([202, 202]);
    expect(await listed(next.id)).toMatchObject({ label: 'rotated', scopes: ['ingest'], replaces: old.id });
    nowMs += 59_999;
    expect(await statusWith(old.key)).toBe(202);
    nowMs += 1;
    expect([await statusWith(old.key), await statusWith(next.key)]).toEqual([403, 202]);
    expect(await listed(old.id)).toMatchObject({ state: 'expired' });
    expect((await ask(KEY, 'POST', `/api/v1/keys/${old.id}/rotate`, {})).status).toBe(404);
  });

  test.each([
    { asked: {}, overlap_s: 60, nextEndsS: 3600, oldEndsS: 60 },
    { asked: {}, overlap_s: 86_400, nextEndsS: 3600, oldEndsS: 3600 },
    { asked: { expires_in_s: null }, overlap_s: 60, nextEndsS: null, oldEndsS: 60 },
    { asked: { expires_in_s: 7200 }, overlap_s: 60, nextEndsS: 7200, oldEndsS: 60 },
  ])('that expires is rotated with $asked over $overlap_s s, once', async ({ asked, overlap_s, nextEndsS, oldEndsS }) => {
    const old = await create({ label: 'expiring', scopes: ['ingest'], expires_in_s: 3600 });
    const rotate = () => ask(KEY, 'POST', `/api/v1/keys/${old.id}/rotate`, { overlap_s, ...asked });
    const both = await Promise.all([rotate(), rotate()]);
    expect(both.map(({ status }) => status).sort()).toEqual([201, 404]);
    const next = both.find(({ status }) => status === 201)?.body ?? {};
    const at = (s: number | null) => (s === null ? null : new Date(nowMs + s * 1000).toISOString());
    expect(await listed(old.id)).toMatchObject({ expires_at: at(oldEndsS) });
    expect(await listed(String(next['id']))).toMatchObject({ expires_at: at(nextEndsS), replaces: old.id });
    expect(await statusWith(String(next['key']))).toBe(202);
  });

  test('that expires does so on the instant', async () => {
    const { key } = await create({ label: 'for an hour', scopes: ['ingest'], expires_in_s: 3600 });
    nowMs += 3_599_999;
    expect(await statusWith(key)).toBe(202);
    nowMs += 1;
    expect(await statusWith(key)).toBe(403);
  });

  test('is of no use once it is revoked, and cannot be revoked twice', async () => {
    const { id, key } = await create({ label: 'revoked', scopes: ['ingest'] });
    expect(await statusWith(key)).toBe(202);
    expect((await ask(KEY, 'DELETE', `/api/v1/keys/${id}`)).body).toEqual({ revoked: true });
    expect(await statusWith(key)).toBe(403);
    expect((await ask(KEY, 'DELETE', `/api/v1/keys/${id}`)).status).toBe(404);
    expect(await listed(id)).toMatchObject({ state: 'revoked' });
  });

  test('has the instant of its last use in the list, and none before', async () => {
    const { id, key } = await create({ label: 'used', scopes: ['ingest'] });
    expect(await listed(id)).toMatchObject({ last_used_at: null });
    await statusWith(key);
    expect(await listed(id)).toMatchObject({ last_used_at: new Date(nowMs).toISOString() });
  });

  test.each([
    { members: { scopes: ['ingest'] }, path: 'label' },
    { members: { label: 'x', scopes: [] }, path: 'scopes' },
    { members: { label: 'x', scopes: ['everything'] }, path: 'scopes[0]' },
    { members: { label: 'x', scopes: ['ingest'], expires_in_s: 0 }, path: 'expires_in_s' },
    { members: { label: 'a\u0000b', scopes: ['ingest'] }, path: 'label' },
  ])('is not made of $members', async ({ members, path }) => {
    expect(await ask(KEY, 'POST', '/api/v1/keys', members)).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_field', path } },
    });
  });

  test('is read anew by a process that did not make it', async () => {
    const { key } = await create({ label: 'elsewhere', scopes: ['read'] });
    await vi.waitFor(async () => expect((await ask(key, 'GET', '/api/v1/summary', undefined, closed)).status).toBe(200), {
      timeout: 120_000,
      interval: 200,
    });
  });
});

describe('the change log', () => {
  test('says who made, rotated and revoked a key, newest first, in pages', async () => {
    const { id } = await create({ label: 'logged', scopes: ['read'] });
    const { body } = await ask(KEY, 'POST', `/api/v1/keys/${id}/rotate`, {});
    await ask(KEY, 'DELETE', `/api/v1/keys/${id}`);
    const log = await ask(READER, 'GET', `/api/v1/changes?subject=${id}`);
    expect(log.body).toMatchObject({
      items: [
        { actor: 'root', action: 'key.revoked', from: { label: 'logged' }, to: null },
        { actor: 'root', action: 'key.rotated', to: { replaced_by: body['id'] } },
        { actor: 'root', action: 'key.created', from: null, to: { label: 'logged', scopes: ['read'] } },
      ],
      next: null,
    });
    const first = await ask(READER, 'GET', `/api/v1/changes?subject=${id}&limit=2`);
    const second = await ask(READER, 'GET', `/api/v1/changes?subject=${id}&limit=2&cursor=${first.body['next']}`);
    expect([...(first.body['items'] as unknown[]), ...(second.body['items'] as unknown[])]).toEqual(log.body['items']);
    expect(second.body['next']).toBe(null);
  });

  test('holds what another part of the product notes', async () => {
    await edge.services.noteChange({ actor: 'root', action: 'proxy.mode', subject: 'search', before: 'shadow', after: 'enforce' });
    const log = await ask(READER, 'GET', '/api/v1/changes?action=proxy');
    expect(log.body['items']).toMatchObject([{ subject: 'search', from: 'shadow', to: 'enforce' }]);
  });
});
