import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectDatabase, type Sql } from '@/db/connect';
import { startTestDatabase, type TestDatabase } from './database';
import { type GuardedEdge, memberOf, startGuardedEdge, Visitor } from './members';

const REFERENCE = /(?<![0-9a-f])[0-9a-f]{32}(?![0-9a-f])/;
let database: TestDatabase;
let edge: GuardedEdge;
let operator: Visitor;
let viewer: Visitor;
let sql: Sql;
let incident: string;
let nowMs = Date.now();

beforeAll(async () => {
  database = await startTestDatabase();
  edge = await startGuardedEdge(database.postgres.connection, { now: () => nowMs });
  sql = connectDatabase(database.postgres.connection, 1, 'test');
  const admin = new Visitor(edge);
  await admin.join(edge.firstLink(), 'ada@example.org');
  operator = await memberOf(edge, admin, 'operator', 'otto@example.org');
  viewer = await memberOf(edge, admin, 'viewer', 'vera@example.org');
  const attempt = { type: 'resume_attempt', last_event_id: '3', cursor: 3, floor: 10, head: 12, verdict: 'resumed', status: 200 };
  const records = ['one', 'two'].map((session) => ({ ...attempt, session, conn: `conn of ${session}` }));
  incident = String((await operator.send('POST', '/api/v1/incidents/import', { title: 'Lost at night', records })).body['id']);
  await operator.send('PATCH', `/api/v1/incidents/${incident}`, {
    owner: 'Olga',
    links: [{ title: 'room', url: 'https://chat.example/x' }],
  });
  await operator.send('POST', `/api/v1/incidents/${incident}/comments`, { text: 'a word among us' });
});

afterAll(async () => {
  await sql?.end({ timeout: 1 });
  await edge?.stop();
  await database?.stop();
});

const text = async (path: string): Promise<{ status: number; headers: Headers; text: string }> => {
  const response = await fetch(`${edge.base}${path}`);
  return { status: response.status, headers: response.headers, text: await response.text() };
};
const share = async (members: Record<string, unknown> = {}) => {
  const { status, body } = await operator.send('POST', `/api/v1/incidents/${incident}/shares`, members);
  expect(status).toBe(201);
  return { id: String(body['id']), token: String(body['path']).replace('/shared/', '') };
};
const PARTS = ['', '/timeline', '/records', '/report'];

describe('a link to an incident', () => {
  test('shows what happened to whoever has it, and neither who works on it nor a session that leads anywhere', async () => {
    const { token } = await share();
    for (const part of PARTS) {
      const answer = await text(`/api/v1/shared/${token}${part}`);
      expect(answer.status, part).toBe(200);
      expect(answer.text).not.toMatch(REFERENCE);
      for (const word of ['Olga', 'otto@', 'chat.example', 'a word among us', incident]) expect(answer.text, part).not.toContain(word);
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        'x-robots-tag': 'noindex, nofollow',
        'referrer-policy': 'no-referrer',
        'cache-control': 'no-store',
      });
    }
    const shown = JSON.parse((await text(`/api/v1/shared/${token}`)).text);
    expect(shown).toMatchObject({ title: 'Lost at night', sessions: ['S1', 'S2'], records: 2 });
    const records = (await text(`/api/v1/shared/${token}/records`)).text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(records.map(({ session }) => session)).toEqual(['S1', 'S2']);
  });

  test('opens nothing else: no other route takes its token, in whatever place', async () => {
    const { token } = await share();
    const { body } = await operator.send('GET', '/api/openapi.json');
    const paths = Object.entries(body['paths'] as Record<string, Record<string, { security: unknown[] }>>);
    for (const [path, methods] of paths) {
      for (const [method, { security }] of Object.entries(methods)) {
        if (security.length === 0) continue;
        const url = `${edge.base}${path.replaceAll(/\{\w+\}/g, incident)}?token=${token}`;
        const headers = { authorization: `Bearer ${token}`, cookie: `tidemark.session_token=${token}`, origin: edge.base };
        expect((await fetch(url, { method: method.toUpperCase(), headers })).status, `${method} ${path}`).toBe(403);
      }
    }
    expect((await new Visitor(edge).send('POST', '/api/v1/join/look', { token })).status).toBe(404);
  });

  test('ends on the instant that it expires, and at once when it is revoked', async () => {
    const [brief, other] = [await share({ expires_in_s: 60 }), await share()];
    nowMs += 59_999;
    expect((await text(`/api/v1/shared/${brief.token}`)).status).toBe(200);
    nowMs += 1;
    expect((await operator.send('DELETE', `/api/v1/incidents/${incident}/shares/${other.id}`)).body).toEqual({ revoked: true });
    for (const { token } of [brief, other]) {
      for (const part of PARTS) {
        const answer = await text(`/api/v1/shared/${token}${part}`);
        expect(answer.status, part).toBe(404);
        expect(JSON.parse(answer.text).error.code).toBe('link_invalid');
      }
    }
    expect((await operator.send('DELETE', `/api/v1/incidents/${incident}/shares/${other.id}`)).status).toBe(404);
    const { items } = (await operator.send('GET', `/api/v1/incidents/${incident}/shares`)).body as {
      items: { id: string; state: string }[];
    };
    expect(items.find(({ id }) => id === brief.id)?.state).toBe('expired');
    expect(items.find(({ id }) => id === other.id)?.state).toBe('revoked');
  });

  test.each(['x', 'tds_', `tds_${'A'.repeat(43)}`, `tdi_${'A'.repeat(43)}`, '%00', "';--"])(
    'made up as %s opens nothing',
    async (token) => {
      for (const part of PARTS) expect((await text(`/api/v1/shared/${token}${part}`)).status).toBe(404);
    },
  );

  test('is made by operators for an incident that there is, stands in the change log, and in no table', async () => {
    expect((await viewer.send('POST', `/api/v1/incidents/${incident}/shares`, {})).status).toBe(403);
    expect((await operator.send('POST', '/api/v1/incidents/00000000-0000-4000-8000-000000000000/shares', {})).status).toBe(404);
    const { id, token } = await share();
    const log = (await viewer.send('GET', `/api/v1/changes?action=share&subject=${incident}&limit=1`)).body['items'];
    expect(log).toMatchObject([{ actor: 'otto@example.org', action: 'share.created', to: { link: id } }]);
    const tables = await sql<{ name: string }[]>`
      select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`;
    for (const { name } of tables) {
      const [row] = await sql<
        { leaks: number }[]
      >`select count(*)::int as leaks from ${sql(name)} t where strpos(t::text, ${token.slice(4)}) > 0`;
      expect(row?.leaks, name).toBe(0);
    }
  });
});
