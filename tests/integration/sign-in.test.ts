import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import WebSocket from 'ws';
import { connectDatabase, type Sql } from '@/db/connect';
import { call } from './api-client';
import { startTestDatabase, type TestDatabase } from './database';
import { type GuardedEdge, memberOf, PASSWORD, startGuardedEdge, tokenOf, Visitor } from './members';

let database: TestDatabase;
let edge: GuardedEdge;
let admin: Visitor;
let sql: Sql;
let nowMs = Date.now();

beforeAll(async () => {
  database = await startTestDatabase();
  edge = await startGuardedEdge(database.postgres.connection, { now: () => nowMs });
  sql = connectDatabase(database.postgres.connection, 1, 'test');
});

afterAll(async () => {
  await sql?.end({ timeout: 1 });
  await edge?.stop();
  await database?.stop();
});

const code = (reply: { body: Record<string, unknown> }): unknown => (reply.body['error'] as { code?: unknown } | undefined)?.code;
const me = (visitor: Visitor) => visitor.send('GET', '/api/v1/me');

describe('the first administrator', () => {
  test('is whoever opens the printed link, once, however many open links at a time', async () => {
    const second = await startGuardedEdge(database.postgres.connection);
    const links = [edge.firstLink(), second.firstLink()];
    expect(new Set(links).size).toBe(2);
    expect((await new Visitor(edge).send('GET', '/api/v1/access')).body).toEqual({ auth: 'on', has_admin: false, provider: null });
    expect((await new Visitor(edge).send('POST', '/api/v1/join/look', { token: links[0] })).body).toMatchObject({
      kind: 'first_run',
      role: 'admin',
    });
    const visitors = [0, 1, 2, 3, 4, 5].map((index) => ({ email: `ada${index}@example.org`, visitor: new Visitor(edge) }));
    const replies = await Promise.all(visitors.map(({ email, visitor }, index) => visitor.join(links[index % 2] ?? '', email)));
    const winners = replies.flatMap(({ status }, index) => (status === 201 ? [index] : []));
    expect(winners.length).toBe(1);
    expect(replies.filter(({ status }) => status !== 201).map(code)).toEqual(Array(5).fill('link_invalid'));
    admin = visitors[winners[0] ?? 0]?.visitor ?? new Visitor(edge);
    expect((await me(admin)).body).toMatchObject({ kind: 'member', role: 'admin', scopes: ['admin'] });
    expect((await admin.send('GET', '/api/v1/members')).body['items']).toHaveLength(1);
    await second.stop();
  });

  test('has no second link: the next start prints none', async () => {
    const next = await startGuardedEdge(database.postgres.connection);
    expect(next.firstLink()).toBe('');
    await next.stop();
  });
});

describe('a sign-in', () => {
  test('sets a cookie that no script reads and no other site sends along, and ends with signing out', async () => {
    const viewer = await memberOf(edge, admin, 'viewer', 'vera@example.org');
    await viewer.send('POST', '/api/v1/sign-out', {});
    expect(viewer.cookie).toBe(null);
    const reply = await viewer.signIn('Vera@Example.org');
    expect(reply.status).toBe(200);
    const [cookie] = reply.headers.getSetCookie();
    expect(cookie).toMatch(/; HttpOnly/i);
    expect(cookie).toMatch(/; SameSite=Lax/i);
    expect(cookie).not.toMatch(/; Secure/i);
    const kept = viewer.cookie;
    expect((await me(viewer)).body).toMatchObject({ email: 'vera@example.org', role: 'viewer' });
    await viewer.send('POST', '/api/v1/sign-out', {});
    viewer.cookie = kept;
    expect(await me(viewer)).toMatchObject({ status: 401, body: { error: { code: 'session_over' } } });
  });

  test('over HTTPS sets a cookie that is never sent without it', async () => {
    const visitor = new Visitor(edge);
    const body = { email: 'vera@example.org', password: PASSWORD };
    const reply = await visitor.send('POST', '/api/v1/sign-in', body, { 'x-forwarded-proto': 'https' });
    expect(reply.headers.getSetCookie()[0]).toMatch(/; Secure/);
  });

  test.each([
    ['another password', 'vera@example.org', `${PASSWORD}x`],
    ['nobody’s address', 'nobody@example.org', PASSWORD],
    ['no address at all', 'vera', PASSWORD],
    ['a password beyond all length', 'vera@example.org', 'x'.repeat(1_000)],
  ])('with %s is refused in the same words', async (_name, email, password) => {
    expect(await new Visitor(edge).signIn(email, password)).toMatchObject({
      status: 401,
      body: { error: { code: 'sign_in_refused', message: 'the e-mail address or the password is wrong' } },
    });
  });

  test('takes the place of what was in the browser: a planted cookie is neither adopted nor left alive', async () => {
    const attacker = await memberOf(edge, admin, 'viewer', 'mallory@example.org');
    const victim = new Visitor(edge);
    victim.cookie = attacker.cookie;
    await victim.signIn('vera@example.org');
    expect(victim.cookie).not.toBe(attacker.cookie);
    expect((await me(victim)).body).toMatchObject({ email: 'vera@example.org' });
    expect((await me(attacker)).status).toBe(401);
  });

  test.each(['', 'x', 'tidemark', `${'a'.repeat(32)}.${'b'.repeat(43)}%3D`])('is not had by the made-up cookie %j', async (value) => {
    const visitor = new Visitor(edge);
    visitor.cookie = `tidemark.session_token=${value}`;
    expect((await me(visitor)).status).toBe(401);
  });

  test('is limited: after ten tries even the right password has to wait, and others are not affected', async () => {
    await memberOf(edge, admin, 'viewer', 'bruno@example.org');
    const tries = await Promise.all(
      Array.from({ length: 14 }, (_, index) => new Visitor(edge).signIn('bruno@example.org', `guess ${index}`)),
    );
    expect(tries.filter(({ status }) => status === 401).length).toBeLessThanOrEqual(10);
    const limited = await new Visitor(edge).signIn('BRUNO@example.org');
    expect(limited).toMatchObject({ status: 429, body: { error: { code: 'sign_in_limited' } } });
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await new Visitor(edge).signIn('vera@example.org')).status).toBe(200);
    nowMs += 15 * 60_000;
    expect((await new Visitor(edge).signIn('bruno@example.org')).status).toBe(200);
  });

  test('everywhere ends at once, on request and with a changed password', async () => {
    const here = await memberOf(edge, admin, 'operator', 'otto@example.org');
    const there = new Visitor(edge);
    await there.signIn('otto@example.org');
    await here.send('POST', '/api/v1/sign-out', { everywhere: true });
    expect((await me(there)).status).toBe(401);
    await Promise.all([here.signIn('otto@example.org'), there.signIn('otto@example.org')]);
    const next = 'another long password';
    expect(await here.send('POST', '/api/v1/me/password', { current: 'wrong', next })).toMatchObject({ status: 401 });
    expect(await here.send('POST', '/api/v1/me/password', { current: PASSWORD, next: 'short' })).toMatchObject({ status: 400 });
    expect((await here.send('POST', '/api/v1/me/password', { current: PASSWORD, next })).body).toEqual({ changed: true });
    expect((await me(here)).status).toBe(200);
    expect((await me(there)).status).toBe(401);
    expect((await there.signIn('otto@example.org')).status).toBe(401);
    expect((await there.signIn('otto@example.org', next)).status).toBe(200);
  });
});

test('a live connection ends soon after the sign-in that opened it', async () => {
  const lars = await memberOf(edge, admin, 'viewer', 'lars@example.org');
  const headers = { cookie: lars.cookie ?? '', origin: edge.base };
  const socket = new WebSocket(`${edge.base.replace('http', 'ws')}/api/v1/live`, { headers });
  await new Promise((resolve) => socket.once('message', resolve));
  const ended = new Promise((resolve) => socket.once('close', resolve));
  await lars.send('POST', '/api/v1/sign-out', {});
  await ended;
  expect(socket.readyState).toBe(WebSocket.CLOSED);
});

describe('a request of another site', () => {
  test.each([{ origin: 'https://evil.example' }, { origin: 'null' }, { origin: 'http://127.0.0.1:1' }])(
    'from $origin changes nothing',
    async (headers) => {
      expect(await admin.send('POST', '/api/v1/invitations', { role: 'admin' }, headers)).toMatchObject({
        status: 403,
        body: { error: { code: 'cross_origin' } },
      });
      expect(code(await new Visitor(edge).send('POST', '/api/v1/sign-in', { email: 'a', password: 'b' }, headers))).toBe('cross_origin');
      expect(code(await admin.send('POST', '/api/v1/sign-out', {}, headers))).toBe('cross_origin');
      expect((await me(admin)).status).toBe(200);
    },
  );

  test('that names no origin changes nothing by a cookie', async () => {
    const init = { method: 'POST', headers: { cookie: admin.cookie ?? '', 'content-type': 'application/json' }, body: '{"role":"admin"}' };
    expect(code(await call(`${edge.base}/api/v1/invitations`, init))).toBe('cross_origin');
  });
});

describe('a one-time link', () => {
  test('makes one member, with the role and address that it was made for', async () => {
    const token = await admin.invite('operator', 'Olga@example.org');
    const looked = await new Visitor(edge).send('POST', '/api/v1/join/look', { token });
    expect(looked.body).toMatchObject({ kind: 'invite', role: 'operator', email: 'olga@example.org' });
    const olga = new Visitor(edge);
    expect((await olga.join(token, 'else@example.org')).body).toEqual({ email: 'olga@example.org' });
    expect((await me(olga)).body).toMatchObject({ email: 'olga@example.org', role: 'operator' });
    expect(code(await new Visitor(edge).join(token, 'next@example.org'))).toBe('link_invalid');
  });

  test('taken by many at once makes one member', async () => {
    const token = await admin.invite('viewer');
    const replies = await Promise.all([1, 2, 3, 4].map((index) => new Visitor(edge).join(token, `race${index}@example.org`)));
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 404, 404, 404]);
  });

  test('is of no use when it has expired, was revoked, or is made up', async () => {
    const expired = await admin.invite('viewer');
    nowMs += 7 * 86_400_000;
    expect(code(await new Visitor(edge).join(expired, 'late@example.org'))).toBe('link_invalid');
    const { body } = await admin.send('POST', '/api/v1/invitations', { role: 'viewer' });
    expect((await admin.send('DELETE', `/api/v1/invitations/${body['id']}`)).status).toBe(200);
    expect(code(await new Visitor(edge).join(tokenOf(body['path']), 'late@example.org'))).toBe('link_invalid');
    for (const token of ['', 'x', `tdi_${'A'.repeat(43)}`, `tds_${'A'.repeat(43)}`])
      expect(code(await new Visitor(edge).join(token, 'late@example.org'))).toBe('link_invalid');
  });

  test('for an address that is taken makes nobody, and is not used up', async () => {
    const token = await admin.invite('admin');
    expect(code(await new Visitor(edge).join(token, 'vera@example.org'))).toBe('member_exists');
    expect((await new Visitor(edge).join(token, 'grace@example.org')).status).toBe(201);
    expect(code(await admin.send('POST', '/api/v1/invitations', { role: 'viewer', email: 'vera@example.org' }))).toBe('member_exists');
  });

  test('for a new password sets it and ends what was signed in by the old one', async () => {
    const otto = await memberOf(edge, admin, 'viewer', 'paul@example.org');
    const { items } = (await admin.send('GET', '/api/v1/members')).body as { items: { id: string; email: string }[] };
    const id = items.find(({ email }) => email === 'paul@example.org')?.id ?? '';
    const first = tokenOf((await admin.send('POST', `/api/v1/members/${id}/reset`)).body['path']);
    const second = tokenOf((await admin.send('POST', `/api/v1/members/${id}/reset`)).body['path']);
    const visitor = new Visitor(edge);
    const taken = await visitor.send('POST', '/api/v1/join', { token: second, password: 'a new long password' });
    expect(taken).toMatchObject({ status: 201, body: { email: 'paul@example.org' } });
    expect((await me(otto)).status).toBe(401);
    expect((await new Visitor(edge).signIn('paul@example.org')).status).toBe(401);
    expect(code(await new Visitor(edge).send('POST', '/api/v1/join', { token: first, password: 'a new long password' }))).toBe(
      'link_invalid',
    );
  });
});

describe('members', () => {
  test('have another role from the next request on, and are out once removed', async () => {
    const nina = await memberOf(edge, admin, 'viewer', 'nina@example.org');
    const { items } = (await admin.send('GET', '/api/v1/members')).body as { items: { id: string; email: string }[] };
    const id = items.find(({ email }) => email === 'nina@example.org')?.id ?? '';
    expect((await nina.send('GET', '/api/v1/keys')).status).toBe(403);
    expect((await admin.send('PATCH', `/api/v1/members/${id}`, { role: 'admin' })).body).toEqual({ done: true });
    expect((await nina.send('GET', '/api/v1/keys')).status).toBe(200);
    expect((await admin.send('DELETE', `/api/v1/members/${id}`)).body).toEqual({ done: true });
    expect((await me(nina)).status).toBe(401);
    expect((await new Visitor(edge).signIn('nina@example.org')).status).toBe(401);
    expect((await admin.send('DELETE', `/api/v1/members/${id}`)).status).toBe(404);
    const email = (await me(admin)).body['email'];
    const log = (await admin.send('GET', '/api/v1/changes?subject=nina@example.org')).body['items'];
    expect(log).toMatchObject([
      { actor: email, action: 'member.removed', from: { role: 'admin' }, to: null },
      { actor: email, action: 'member.role_changed', from: { role: 'viewer' }, to: { role: 'admin' } },
      { actor: 'nina@example.org', action: 'member.joined', to: { role: 'viewer', invited_by: email } },
    ]);
  });

  test('always have an administrator among them, also when two remove each other at once', async () => {
    const { items } = (await admin.send('GET', '/api/v1/members')).body as { items: { id: string; email: string; role: string }[] };
    const own = (await me(admin)).body['email'];
    const admins = items.filter(({ role }) => role === 'admin');
    for (const { id, email } of admins) if (email !== own) await admin.send('DELETE', `/api/v1/members/${id}`);
    const other = await memberOf(edge, admin, 'admin', 'rosa@example.org');
    const list = ((await admin.send('GET', '/api/v1/members')).body as { items: { id: string; email: string }[] }).items;
    const idOf = (email: unknown) => list.find((item) => item.email === email)?.id ?? '';
    await Promise.all([
      admin.send('DELETE', `/api/v1/members/${idOf('rosa@example.org')}`),
      other.send('PATCH', `/api/v1/members/${idOf(own)}`, { role: 'viewer' }),
    ]);
    const [row] = await sql<{ n: number; id: string; email: string }[]>`
      select count(*) over ()::int as n, id, email from member where role = 'admin'`;
    expect(row?.n).toBe(1);
    const last = row?.email === own ? admin : other;
    for (const [method, body] of [
      ['DELETE', undefined],
      ['PATCH', { role: 'operator' }],
    ] as const)
      expect(await last.send(method, `/api/v1/members/${row?.id}`, body)).toMatchObject({
        status: 409,
        body: { error: { code: 'last_admin' } },
      });
    admin = last;
  });

  test('leave no secret in any table: neither a password nor a token of a link', async () => {
    const token = await admin.invite('viewer');
    const tables = await sql<{ name: string }[]>`
      select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`;
    for (const { name } of tables) {
      for (const secret of [PASSWORD, token.slice(4)]) {
        const [row] = await sql<
          { leaks: number }[]
        >`select count(*)::int as leaks from ${sql(name)} t where strpos(t::text, ${secret}) > 0`;
        expect(row?.leaks, name).toBe(0);
      }
    }
  });
});

test('where nobody is asked to sign in, nobody can, and callers are this machine’s own', async () => {
  const open = await startGuardedEdge(database.postgres.connection, {}, { auth: 'off' });
  const visitor = new Visitor(open);
  expect(code(await visitor.signIn('vera@example.org'))).toBe('access_off');
  expect((await me(visitor)).body).toMatchObject({ kind: 'local', role: null, scopes: ['admin'] });
  await open.stop();
});
