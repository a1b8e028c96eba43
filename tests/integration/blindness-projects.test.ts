import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectDatabase, type Sql } from '@/db/connect';
import { ruleOf } from '@/lib/alerting/rule';
import { PostgresMeasures } from '@/lib/query/alerting-measures';
import { call, type Reply } from './api-client';
import { attemptRecord } from './attempt-record';
import { startTestDatabase, type TestDatabase } from './database';
import { type Edge, startEdge } from './edge';

const ROOT = 'a-key-of-the-configuration-file';
const CONFIG = { auth: 'on', keys: [{ name: 'root', key: ROOT, scopes: ['admin'] }] } as const;
const MINUTE = 60_000;
const START = Date.now() - 60 * MINUTE;
const PERIOD = `from=${START - MINUTE}&to=${START + 120 * MINUTE}`;
let database: TestDatabase;
let edge: Edge;
let sql: Sql;
let a: string;
let b: string;

const ask = (method: string, path: string, body?: unknown): Promise<Reply> =>
  call(`${edge.base}${path}`, {
    method,
    headers: { authorization: `Bearer ${ROOT}`, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });

async function keyOfProject(project: string): Promise<string> {
  expect((await ask('POST', '/api/v1/projects', { name: project })).status).toBe(201);
  const made = await ask('POST', '/api/v1/keys', { label: `of ${project}`, project, scopes: ['ingest'] });
  return String(made.body['key']);
}

/** A numbered batch of one attempt that lies `sequence` minutes after the start, unless it is to hold nothing. */
async function send(key: string, producer: string, sequence: number, options: { epoch?: string; server?: string } = {}): Promise<void> {
  const { epoch = 'e1', server } = options;
  const { status } = await call(`${edge.base}/api/v1/telemetry`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'tidemark-producer': producer,
      'tidemark-epoch': epoch,
      'tidemark-sequence': String(sequence),
    },
    body: JSON.stringify(server === undefined ? [] : [attemptRecord({ server, at: START + (sequence % 60) * MINUTE })]),
  });
  expect(status).toBe(202);
}

const summary = async (query: string) => (await ask('GET', `/api/v1/summary?${PERIOD}&${query}`)).body;
const SIGHTED = { at_least: false, lost_batches: 0, blind: [] };

beforeAll(async () => {
  database = await startTestDatabase();
  edge = await startEdge(database.postgres.connection, {}, CONFIG);
  sql = connectDatabase(database.postgres.connection, 2, 'test');
  a = await keyOfProject('a');
  b = await keyOfProject('b');
});

afterAll(async () => {
  await sql?.end({ timeout: 1 });
  await edge?.stop();
  await database?.stop();
});

describe('what one project is known to miss', () => {
  test('is not taken out again by the batches of another, whatever names it gives them', async () => {
    await send(b, 'erased', 1, { server: 'erased-b' });
    await send(b, 'erased', 4, { server: 'erased-b' });
    const missing = { at_least: true, lost_batches: 2 };
    expect(await summary('server=erased-b')).toMatchObject(missing);
    // One that is read begins the other numbering before its holes are filled.
    for (const sequence of [9, 2, 3]) {
      await send(a, 'erased', sequence);
      expect(await summary('server=erased-b')).toMatchObject(missing);
    }
  });

  test('is not made up by another', async () => {
    await send(b, 'forged', 1, { server: 'forged-b' });
    await send(a, 'forged', 1_000_000, { epoch: 'e2' });
    await send(a, 'forged', 1_000_000);
    await send(b, 'forged', 2, { server: 'forged-b' });
    for (const query of ['server=forged-b', 'project=b&server=forged-b']) expect(await summary(query)).toMatchObject(SIGHTED);
  });

  test('concerns all of its servers, and no others, where the producer has had no record accepted', async () => {
    await send(b, 'silent-b', 1, { server: 'beside-b' });
    const c = await keyOfProject('c');
    await send(c, 'speaking', 1, { server: 'beside-c' });
    expect(await summary('server=beside-c')).toMatchObject(SIGHTED);
    await send(c, 'silent', 3);
    expect(await summary('server=beside-c')).toMatchObject({ at_least: true, lost_batches: 2 });
    expect(await summary('server=beside-b')).toMatchObject(SIGHTED);
  });

  test('holds what was rejected of its own keys, whatever server that names', async () => {
    await send(b, 'named', 1, { server: 'named-b' });
    const records = [
      attemptRecord({ server: 'named-b', at: START + 5 * MINUTE }),
      { ...attemptRecord({ server: 'named-b', at: START + 5 * MINUTE }), cursor: -1 },
      'nothing that can be read',
    ];
    const naming = await keyOfProject('naming');
    for (const headers of [{}, { 'tidemark-producer': 'named', 'tidemark-epoch': 'e1', 'tidemark-sequence': '1' }]) {
      const { body } = await call(`${edge.base}/api/v1/telemetry`, {
        method: 'POST',
        headers: { authorization: `Bearer ${naming}`, 'content-type': 'application/json', ...headers },
        body: JSON.stringify(records.map((record) => (typeof record === 'string' ? record : { ...record, id: randomUUID() }))),
      });
      expect(body).toMatchObject({ accepted: 0, rejected: [{}, {}, {}] });
    }
    expect(await summary('server=named-b')).toMatchObject(SIGHTED);
    expect(await summary('project=naming')).toMatchObject({ at_least: true, rejected_records: 6, lost_batches: 0 });
  });

  test('is told of a project that nothing was ever stored of', async () => {
    const empty = await keyOfProject('empty');
    expect(await summary('project=empty')).toMatchObject(SIGHTED);
    await send(empty, 'unheard', 3);
    expect(await summary('project=empty')).toMatchObject({ at_least: true, lost_batches: 2 });
  });

  test('raises no alert of a server of another project with the same producer', async () => {
    await send(a, 'watched', 1, { server: 'watched-a' });
    await send(b, 'watched', 1, { server: 'watched-b' });
    await send(a, 'watched', 5, { server: 'watched-a' });
    await summary('server=watched-a');
    const now = Date.now();
    const measures = new PostgresMeasures(sql);
    const count = async (server: string) => {
      const rule = ruleOf({ name: 'r', measure: 'blind', threshold: 1, group_by: ['server'], filter: { server: [server] }, window_s: 600 });
      return (await measures.buckets(rule, now - 10 * MINUTE, now + 31_000, MINUTE)).reduce((sum, bucket) => sum + bucket.count, 0);
    };
    expect(await count('watched-a')).toBe(3);
    expect(await count('watched-b')).toBe(0);
  });
});

test('what the version before noted and did not fold is of the project of its servers', async () => {
  const upgraded = await keyOfProject('upgraded');
  await send(upgraded, 'earlier', 1, { server: 'earlier-server' });
  await summary('server=earlier-server');
  const [server] = await sql<{ id: number }[]>`select id from server where name = 'earlier-server'`;
  const at = START + 4 * MINUTE;
  await sql`insert into pending_rollup (increments) values (${`b earlier e1 4 0 ${at} ${at} ${at} ${server?.id}\n`})`;
  expect(await summary('server=earlier-server')).toMatchObject({ lost_batches: 2 });
});
