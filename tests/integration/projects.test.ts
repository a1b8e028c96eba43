import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectDatabase, type Sql } from '@/db/connect';
import { call, type Reply } from './api-client';
import { attemptRecord } from './attempt-record';
import { startTestDatabase, type TestDatabase } from './database';
import { type Edge, startEdge } from './edge';
import { openSocket } from './socket-client';
import { waitFor } from './wait-for';

const ROOT = 'a-key-of-the-configuration-file';
const CONFIG = { auth: 'on', keys: [{ name: 'root', key: ROOT, scopes: ['admin'] }] } as const;
let database: TestDatabase;
/** Two processes on one database, and one that asks for no key. */
let edge: Edge;
let other: Edge;
let open: Edge;
let sql: Sql;
/** Keys of two projects. */
let a: string;
let b: string;

const ask = (key: string, method: string, path: string, body?: unknown, at: Edge = edge): Promise<Reply> =>
  call(`${at.base}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
const send = (key: string, records: readonly unknown[], at: Edge = edge) => ask(key, 'POST', '/api/v1/telemetry', records, at);

async function projectWithKey(name: string): Promise<{ id: number; key: string; keyId: string }> {
  const project = await ask(ROOT, 'POST', '/api/v1/projects', { name });
  expect(project.status).toBe(201);
  const made = await ask(ROOT, 'POST', '/api/v1/keys', { label: `of ${name}`, project: name, scopes: ['ingest'] });
  expect(made.status).toBe(201);
  return { id: Number(project.body['id']), key: String(made.body['key']), keyId: String(made.body['id']) };
}

/** Ids of the attempts of a server that are stored, sorted. */
const storedIds = async (server: string): Promise<string[]> => {
  const rows = await sql<{ id: string }[]>`select a.id from attempt a join server s on s.id = a.server_id where s.name = ${server}`;
  return rows.map(({ id }) => id).sort();
};
const ownerOf = async (server: string): Promise<string | undefined> => {
  const rows = await sql<{ name: string }[]>`select p.name from server s join project p on p.id = s.project_id where s.name = ${server}`;
  return rows[0]?.name;
};
const FOREIGN = { path: 'server', code: 'foreign_server', message: 'belongs to another project than the key' };

beforeAll(async () => {
  database = await startTestDatabase();
  const { connection } = database.postgres;
  edge = await startEdge(connection, {}, CONFIG);
  other = await startEdge(connection, {}, CONFIG);
  open = await startEdge(connection);
  sql = connectDatabase(connection, 2, 'test');
  a = (await projectWithKey('a')).key;
  b = (await projectWithKey('b')).key;
  expect((await send(a, [attemptRecord({ server: 'of-a' })])).body).toMatchObject({ accepted: 1, rejected: [] });
  expect((await send(b, [attemptRecord({ server: 'of-b' })])).body).toMatchObject({ accepted: 1, rejected: [] });
});

afterAll(async () => {
  await sql?.end({ timeout: 1 });
  for (const one of [edge, other, open]) await one?.stop();
  await database?.stop();
});

describe('a server belongs to the project of the key that reported it first', () => {
  test('so that a key of another is refused its records, and nothing else of its batch, both ways and in every process', async () => {
    const keys = [
      { key: a, own: 'of-a', foreign: 'of-b' },
      { key: b, own: 'of-b', foreign: 'of-a' },
    ];
    for (const at of [edge, other]) {
      for (const { key, own, foreign } of keys) {
        const before = await storedIds(foreign);
        const kept = [attemptRecord({ server: own }), attemptRecord({ server: own })] as const;
        const { status, body } = await send(key, [kept[0], attemptRecord({ server: foreign }), { type: 'x' }, kept[1]], at);
        expect(status).toBe(202);
        expect(body).toMatchObject({
          accepted: 2,
          duplicate: 0,
          rejected: [
            { index: 1, ...FOREIGN },
            { index: 2, path: 'type' },
          ],
        });
        expect(await storedIds(foreign)).toEqual(before);
        expect(await storedIds(own)).toEqual(expect.arrayContaining(kept.map(({ id }) => id)));
      }
    }
  });

  test('and what is refused tells nothing: not whether it is there already, and it leaves no trace', async () => {
    const record = attemptRecord({ server: 'of-b', at: Date.now(), node: 'a-node-of-nobody' });
    expect((await send(b, [record])).body).toMatchObject({ accepted: 1 });
    const refused = [{ index: 0, ...FOREIGN }];
    expect((await send(a, [record])).body).toEqual({ accepted: 0, duplicate: 0, rejected: refused });
    expect((await send(a, [{ ...record, id: randomUUID(), at: undefined, node: 'a-trace' }])).body).toEqual({
      accepted: 0,
      duplicate: 0,
      rejected: refused,
    });
    const [row] = await sql<{ nodes: number; undated: number }[]>`
      select (select count(*)::int from node where name = 'a-trace') as nodes, (select count(*)::int from undated_record) as undated`;
    expect(row).toEqual({ nodes: 0, undated: 0 });
  });

  test('over WebSocket and OTLP as well', async () => {
    const client = await openSocket(edge.base, { authorization: `Bearer ${a}` });
    client.send({ seq: 1, records: [attemptRecord({ server: 'of-b' }), attemptRecord({ server: 'of-a' })] });
    expect(await client.answer()).toEqual({ ack: 1, accepted: 1, duplicate: 0, rejected: [{ index: 0, ...FOREIGN }] });
    client.socket.terminate();
    const attributes = [{ key: 'tidemark.type', value: { stringValue: 'boot' } }];
    const resource = { attributes: [{ key: 'service.name', value: { stringValue: 'of-b' } }] };
    const logs = { resourceLogs: [{ resource, scopeLogs: [{ logRecords: [{ attributes }] }] }] };
    const { status, body } = await ask(a, 'POST', '/v1/logs', logs);
    expect(status).toBe(200);
    expect(body['partialSuccess']).toMatchObject({ rejectedLogRecords: '1', errorMessage: expect.stringContaining(FOREIGN.message) });
  });

  test('a large body of lines names each by its number among all lines', async () => {
    const lines = Array.from({ length: 23_000 }, (_, index) => {
      if (index % 5_000 === 7) return '{"type":';
      return JSON.stringify({ type: 'boot', server: index % 4_000 === 9 ? 'of-b' : 'of-a', generation: index });
    });
    const { status, body } = await call(`${edge.base}/api/v1/telemetry`, {
      method: 'POST',
      headers: { authorization: `Bearer ${a}`, 'content-type': 'application/x-ndjson' },
      body: lines.join('\n'),
    });
    expect(status).toBe(202);
    const rejected = body['rejected'] as { index: number; code?: string }[];
    const indexes = lines.map((_, index) => index).filter((index) => index % 5_000 === 7 || index % 4_000 === 9);
    expect(rejected.map(({ index }) => index)).toEqual(indexes);
    expect(rejected.filter(({ code }) => code === FOREIGN.code).map(({ index }) => index)).toEqual(
      indexes.filter((index) => index % 4_000 === 9),
    );
    expect(body).toMatchObject({ accepted: lines.length - indexes.length, duplicate: 0 });
  });

  test('a numbered batch is noted, and makes nobody blind to a server that it had nothing to say of', async () => {
    const headers = {
      authorization: `Bearer ${a}`,
      'content-type': 'application/json',
      'tidemark-producer': 'producer-of-a',
      'tidemark-epoch': 'e1',
    };
    const numbered = (sequence: number, records: unknown[]) =>
      call(`${edge.base}/api/v1/telemetry`, {
        method: 'POST',
        headers: { ...headers, 'tidemark-sequence': String(sequence) },
        body: JSON.stringify(records),
      });
    expect((await numbered(1, [attemptRecord({ server: 'of-a' })])).body).toMatchObject({ accepted: 1 });
    expect((await numbered(3, [attemptRecord({ server: 'of-b' })])).body).toMatchObject({ accepted: 0, rejected: [{ index: 0 }] });
    // A read that sees everything acknowledged folds what is pending.
    const summary = async (server: string) => (await ask(ROOT, 'GET', `/api/v1/summary?server=${server}`)).body;
    expect(await summary('of-a')).toMatchObject({ lost_batches: 1 });
    expect(await summary('of-b')).toMatchObject({ lost_batches: 0 });
  });

  test('of two keys that report a new one at the same moment one wins; what is acknowledged is stored, and nothing else', async () => {
    for (let round = 0; round < 12; round++) {
      const server = `contested-${round}`;
      const batches = [a, b].map((key, index) => ({
        key,
        at: index === 0 ? edge : other,
        records: Array.from({ length: 20 }, () => attemptRecord({ server, session: randomUUID() })),
      }));
      const replies = await Promise.all(batches.map(({ key, records, at }) => send(key, records, at)));
      const accepted = replies.map(({ body }) => Number(body['accepted']));
      expect([...accepted].sort((x, y) => x - y)).toEqual([0, 20]);
      const winner = accepted[0] === 20 ? 0 : 1;
      expect(replies[1 - winner]?.body['rejected']).toHaveLength(20);
      expect(await ownerOf(server)).toBe(winner === 0 ? 'a' : 'b');
      expect(await storedIds(server)).toEqual((batches[winner]?.records ?? []).map(({ id }) => id).sort());
    }
  });

  test('two keys that share a process and a transaction are told apart too', async () => {
    const replies = await Promise.all(
      [a, b].flatMap((key) =>
        Array.from({ length: 8 }, () => send(key, [attemptRecord({ server: 'of-a' }), attemptRecord({ server: 'of-b' })])),
      ),
    );
    for (const [index, { body }] of replies.entries())
      expect(body).toMatchObject({ accepted: 1, rejected: [{ index: index < 8 ? 1 : 0, code: 'foreign_server' }] });
  });

  test('keys of the configuration file are of the default project; who needs no key may send for any', async () => {
    expect((await send(ROOT, [attemptRecord({ server: 'of-a' })])).body).toMatchObject({
      accepted: 0,
      rejected: [{ code: 'foreign_server' }],
    });
    expect((await send(ROOT, [attemptRecord({ server: 'of-root' })])).body).toMatchObject({ accepted: 1 });
    const records = ['of-a', 'of-b', 'of-root', 'of-nobody'].map((server) => attemptRecord({ server }));
    expect(
      (
        await call(`${open.base}/api/v1/telemetry`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(records),
        })
      ).body,
    ).toMatchObject({ accepted: 4, rejected: [] });
    expect([await ownerOf('of-root'), await ownerOf('of-nobody'), await ownerOf('of-a')]).toEqual(['default', 'default', 'a']);
  });

  test('until an administrator moves it, with all that is stored of it, in every process', async () => {
    expect((await send(a, [attemptRecord({ server: 'moved' })], other)).body).toMatchObject({ accepted: 1 });
    expect((await send(a, [attemptRecord({ server: 'moved' })])).body).toMatchObject({ accepted: 1 });
    expect((await ask(ROOT, 'PUT', '/api/v1/servers/moved/project', { project: 'b' })).body).toEqual({ project: 'b' });
    expect((await send(a, [attemptRecord({ server: 'moved' })])).body).toMatchObject({
      accepted: 0,
      rejected: [{ code: 'foreign_server' }],
    });
    expect((await send(b, [attemptRecord({ server: 'moved' })])).body).toMatchObject({ accepted: 1 });
    // The other process is told by the database.
    await waitFor(
      () => send(a, [attemptRecord({ server: 'moved' })], other),
      ({ body }) => body['accepted'] === 0,
    );
    expect((await send(b, [attemptRecord({ server: 'moved' })], other)).body).toMatchObject({ accepted: 1 });
    const items = async (project: string) =>
      (await ask(ROOT, 'GET', `/api/v1/attempts?project=${project}&server=moved`)).body['items'] as unknown[];
    expect(await items('a')).toEqual([]);
    expect((await items('b')).length).toBeGreaterThanOrEqual(4);
    const log = await ask(ROOT, 'GET', '/api/v1/changes?action=project.server_moved');
    expect(log.body['items']).toMatchObject([{ actor: 'root', subject: 'moved', from: { project: 'a' }, to: { project: 'b' } }]);
  });
});

describe('a project', () => {
  const change = (id: number, body: unknown) => ask(ROOT, 'PATCH', `/api/v1/projects/${id}`, body);
  const listed = async (name: string) =>
    ((await ask(ROOT, 'GET', '/api/v1/projects')).body['items'] as Record<string, unknown>[]).find((item) => item['name'] === name);

  test('is listed with its keys that hold and its servers, the default one first', async () => {
    const { id, key, keyId } = await projectWithKey('counted');
    await send(key, [attemptRecord({ server: 'counted-1' }), attemptRecord({ server: 'counted-2' })]);
    expect(await listed('counted')).toMatchObject({ id, keys: 1, servers: 2, is_default: false, archived_at: null });
    expect((await ask(ROOT, 'GET', `/api/v1/projects/${id}/servers`)).body).toMatchObject({
      total: 2,
      items: [{ server: 'counted-1' }, { server: 'counted-2' }],
    });
    await ask(ROOT, 'DELETE', `/api/v1/keys/${keyId}`);
    expect(await listed('counted')).toMatchObject({ keys: 0, servers: 2 });
    const { body } = await ask(ROOT, 'GET', '/api/v1/projects');
    expect((body['items'] as unknown[])[0]).toMatchObject({ name: 'default', is_default: true });
  });

  test('is renamed with everything in it, unless another has the name', async () => {
    const { id, key } = await projectWithKey('before');
    await send(key, [attemptRecord({ server: 'of-renamed' })]);
    expect((await change(id, { name: 'a' })).body).toMatchObject({ error: { code: 'project_exists' } });
    expect((await change(id, { name: 'after' })).body).toMatchObject({ id, name: 'after', keys: 1, servers: 1 });
    expect(await ownerOf('of-renamed')).toBe('after');
    expect((await send(key, [attemptRecord({ server: 'of-renamed' })])).body).toMatchObject({ accepted: 1 });
    const log = await ask(ROOT, 'GET', '/api/v1/changes?action=project.changed&subject=before');
    expect(log.body['items']).toMatchObject([{ actor: 'root', from: { name: 'before' }, to: { name: 'after' } }]);
  });

  test('is archived once no key of it holds; then it takes neither keys nor servers, and can be read and restored', async () => {
    const { id, key, keyId } = await projectWithKey('archived');
    await send(key, [attemptRecord({ server: 'of-archived' })]);
    expect((await change(id, { archived: true })).body).toMatchObject({ error: { code: 'project_in_use' } });
    await ask(ROOT, 'DELETE', `/api/v1/keys/${keyId}`);
    expect((await change(id, { archived: true })).body).toMatchObject({ name: 'archived', archived_at: expect.any(String) });
    const newKey = { label: 'late', project: 'archived', scopes: ['ingest'] };
    expect((await ask(ROOT, 'POST', '/api/v1/keys', newKey)).body).toMatchObject({ error: { code: 'invalid_field', path: 'project' } });
    expect((await ask(ROOT, 'PUT', '/api/v1/servers/of-a/project', { project: 'archived' })).status).toBe(400);
    expect((await ask(ROOT, 'GET', '/api/v1/attempts?project=archived')).body['items']).toMatchObject([{ server: 'of-archived' }]);
    expect((await change(id, { archived: false })).body).toMatchObject({ archived_at: null });
    expect((await ask(ROOT, 'POST', '/api/v1/keys', newKey)).status).toBe(201);
  });

  test('that is the default one may be renamed and not archived; keys without a project are of it', async () => {
    expect((await change(0, { archived: true })).body).toMatchObject({ error: { code: 'project_in_use' } });
    expect((await change(0, { name: 'ours' })).body).toMatchObject({ name: 'ours', is_default: true });
    await ask(ROOT, 'POST', '/api/v1/keys', { label: 'of none', scopes: ['ingest'] });
    const { body } = await ask(ROOT, 'GET', '/api/v1/keys');
    expect((body['items'] as unknown[])[0]).toMatchObject({ label: 'of none', project: 'ours' });
    await change(0, { name: 'default' });
  });

  test.each([
    { method: 'POST', path: '/api/v1/projects', body: { name: 'a' }, status: 409, code: 'project_exists' },
    { method: 'POST', path: '/api/v1/projects', body: { name: '' }, status: 400, code: 'invalid_field' },
    { method: 'POST', path: '/api/v1/projects', body: { name: ' a' }, status: 400, code: 'invalid_field' },
    { method: 'POST', path: '/api/v1/projects', body: { name: 'a\u0000' }, status: 400, code: 'invalid_field' },
    { method: 'PATCH', path: '/api/v1/projects/99999', body: { name: 'x' }, status: 404, code: 'not_found' },
    { method: 'PATCH', path: '/api/v1/projects/a', body: { name: 'x' }, status: 404, code: 'not_found' },
    { method: 'GET', path: '/api/v1/projects/99999/servers', body: undefined, status: 404, code: 'not_found' },
    { method: 'PUT', path: '/api/v1/servers/never-heard-of/project', body: { project: 'a' }, status: 404, code: 'not_found' },
    { method: 'PUT', path: '/api/v1/servers/of-a/project', body: { project: 'of nobody' }, status: 400, code: 'invalid_field' },
    {
      method: 'POST',
      path: '/api/v1/keys',
      body: { label: 'x', project: 'of nobody', scopes: ['read'] },
      status: 400,
      code: 'invalid_field',
    },
    { method: 'GET', path: '/api/v1/summary?project=of+nobody', body: undefined, status: 400, code: 'invalid_field' },
  ])('$method $path with $body is refused', async ({ method, path, body, status, code }) => {
    expect(await ask(ROOT, method, path, body)).toMatchObject({ status, body: { error: { code } } });
  });
});

describe('the filter by project', () => {
  beforeAll(async () => {
    await projectWithKey('empty');
  });

  /** What an answer is about, as its servers. */
  const SERVERS_OF: Readonly<Record<string, (body: Record<string, unknown>) => unknown[]>> = {
    '/api/v1/attempts?limit=1000': (body) => (body['items'] as { server: string }[]).map(({ server }) => server),
    '/api/v1/servers?': (body) => (body['items'] as { server: string }[]).map(({ server }) => server),
    '/api/v1/sessions?limit=1000': (body) => (body['items'] as { server: string }[]).map(({ server }) => server),
    '/api/v1/sessions/facets?': (body) => (body['servers'] as { server: string }[]).map(({ server }) => server),
    '/api/v1/series?by=server': (body) => body['keys'] as string[],
    '/api/v1/summary?': (body) => (body['losing'] as { server: string }[]).map(({ server }) => server),
    '/api/v1/annotations?': (body) => (body['items'] as { servers: string[] }[]).flatMap(({ servers }) => servers),
  };

  test.each(Object.keys(SERVERS_OF))('%s is about the servers of the project and no other', async (path) => {
    const serversOf = async (project: string) => {
      const { status, body } = await ask(ROOT, 'GET', `${path}&project=${project}`);
      expect(status).toBe(200);
      return new Set(SERVERS_OF[path]?.(body) ?? []);
    };
    const owned = await sql<
      { server: string }[]
    >`select s.name as server from server s join project p on p.id = s.project_id where p.name = 'a'`;
    const names = new Set(owned.map(({ server }) => server));
    const seen = await serversOf('a');
    expect(seen.size).toBeGreaterThan(0);
    for (const server of seen) expect(names).toContain(server);
    expect(await serversOf('b')).not.toContain('of-a');
    expect(await serversOf('empty')).toEqual(new Set());
  });

  test('goes together with that by server, and sums stay exact', async () => {
    const attempts = async (query: string) =>
      ((await ask(ROOT, 'GET', `/api/v1/summary?${query}`)).body['totals'] as { attempts: number }).attempts;
    expect(await attempts('project=a&server=of-b')).toBe(0);
    expect(await attempts('project=a&server=of-a')).toBe(await attempts('server=of-a'));
    const [row] = await sql<{ stored: number }[]>`
      select count(*)::int as stored from attempt t join server s on s.id = t.server_id join project p on p.id = s.project_id where p.name = 'a'`;
    expect(await attempts('project=a')).toBe(row?.stored);
  });

  test.each(['/api/v1/findings', '/api/v1/findings/facets', '/api/v1/incidents'])('%s takes it', async (path) => {
    expect((await ask(ROOT, 'GET', `${path}?project=empty`)).status).toBe(200);
  });
});
