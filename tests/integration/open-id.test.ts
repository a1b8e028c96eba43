import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { OidcConfig } from '@/lib/config/config';
import { startTestDatabase, type TestDatabase } from './database';
import { type GuardedEdge, memberOf, startGuardedEdge, Visitor } from './members';
import { type OpenIdProvider, startOpenIdProvider, UNVERIFIED } from './open-id-provider';

/** Where people reach the product: it has to be known before the port is. */
const PUBLIC = 'http://tidemark.example';
const HOPS_MAX = 15;
let database: TestDatabase;
let provider: OpenIdProvider;
let edge: GuardedEdge;
let closed: GuardedEdge;
let admin: Visitor;

beforeAll(async () => {
  database = await startTestDatabase();
  provider = await startOpenIdProvider('tidemark', 'a secret of the client', `${PUBLIC}/api/v1/sign-in/callback/oidc`);
  const oidc: OidcConfig = {
    name: 'Test SSO',
    issuer: provider.issuer,
    clientId: 'tidemark',
    clientSecret: 'a secret of the client',
    scopes: ['openid', 'email', 'profile'],
    newcomers: 'operator',
  };
  edge = await startGuardedEdge(database.postgres.connection, {}, { baseUrl: PUBLIC, oidc });
  closed = await startGuardedEdge(database.postgres.connection, {}, { baseUrl: PUBLIC, oidc: { ...oidc, newcomers: null } });
});

afterAll(async () => {
  await edge?.stop();
  await closed?.stop();
  await provider?.stop();
  await database?.stop();
});

/** A browser that keeps cookies by origin; the public address is the edge's. */
class Browser {
  readonly #jars = new Map<string, Map<string, string>>();
  constructor(readonly edge: GuardedEdge) {}

  async send(url: string, init: RequestInit = {}): Promise<Response> {
    const at = new URL(url, PUBLIC);
    const jar = this.#jars.get(at.origin) ?? new Map<string, string>();
    this.#jars.set(at.origin, jar);
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const real = at.origin === PUBLIC ? `${this.edge.base}${at.pathname}${at.search}` : at.href;
    const response = await fetch(real, { ...init, redirect: 'manual', headers: { ...init.headers, cookie } });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '' || /max-age=0/i.test(line)) jar.delete(name);
      else jar.set(name, value);
    }
    return response;
  }

  begin(to?: string): Promise<Response> {
    const init = { method: 'POST', headers: { origin: PUBLIC, 'content-type': 'application/json' }, body: JSON.stringify({ to }) };
    return this.send('/api/v1/sign-in/provider', init);
  }

  /** Signs in at the provider as `name`; answers with the address that it leads back to, which is not followed yet. */
  async wayBack(url: string, name: string): Promise<string> {
    let next = url;
    for (let hop = 0; hop < HOPS_MAX; hop++) {
      if (new URL(next, PUBLIC).origin === PUBLIC) return next;
      const response = await this.send(next);
      const location = response.headers.get('location');
      next = location === null ? await this.#interact(next, await response.text(), name) : new URL(location, next).href;
    }
    throw new Error(`the provider never led back: ${next}`);
  }

  /** The same, followed; answers with where the sign-in ends. */
  async signInBy(url: string, name: string): Promise<string | null> {
    return (await this.send(await this.wayBack(url, name))).headers.get('location');
  }

  async #interact(at: string, page: string, name: string): Promise<string> {
    const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1] ?? '';
    const action = /action="([^"]+)"/.exec(page)?.[1] ?? '';
    const body = new URLSearchParams({ prompt, login: name, password: 'any' });
    const response = await this.send(new URL(action, at).href, { method: 'POST', body });
    return new URL(response.headers.get('location') ?? '', at).href;
  }

  async me(): Promise<Record<string, unknown>> {
    return (await (await this.send('/api/v1/me')).json()) as Record<string, unknown>;
  }
}

const beginAt = async (browser: Browser, to?: string): Promise<string> => {
  const response = await browser.begin(to);
  expect(response.status).toBe(200);
  return ((await response.json()) as { url: string }).url;
};

describe('signing in by an OpenID provider', () => {
  test('makes a newcomer a member with the configured role, leads on, and stands in the change log', async () => {
    admin = new Visitor(edge);
    await admin.join(edge.firstLink(), 'ada@example.org');
    const browser = new Browser(edge);
    const url = await beginAt(browser, '/attempts?q=x');
    expect(Object.fromEntries(new URL(url).searchParams)).toMatchObject({
      code_challenge_method: 'S256',
      redirect_uri: `${PUBLIC}/api/v1/sign-in/callback/oidc`,
      response_type: 'code',
    });
    expect(new URL(url).searchParams.get('nonce')).not.toBe(null);
    expect(await browser.signInBy(url, 'nora')).toBe('/attempts?q=x');
    expect(await browser.me()).toMatchObject({ kind: 'member', email: 'nora@example.org', role: 'operator' });
    const log = (await admin.send('GET', '/api/v1/changes?subject=nora@example.org')).body['items'];
    expect(log).toMatchObject([{ actor: 'nora@example.org', action: 'member.joined', to: { role: 'operator', provider: 'Test SSO' } }]);
  });

  test('is the same member the next time, with the role that an administrator gave meanwhile', async () => {
    const { items } = (await admin.send('GET', '/api/v1/members')).body as { items: { id: string; email: string }[] };
    const id = items.find(({ email }) => email === 'nora@example.org')?.id ?? '';
    await admin.send('PATCH', `/api/v1/members/${id}`, { role: 'viewer' });
    const browser = new Browser(edge);
    await browser.signInBy(await beginAt(browser), 'nora');
    expect(await browser.me()).toMatchObject({ email: 'nora@example.org', role: 'viewer' });
  });

  test('is the member of that address, where the provider calls it verified', async () => {
    await memberOf(edge, admin, 'admin', 'vera@example.org');
    const browser = new Browser(edge);
    await browser.signInBy(await beginAt(browser), 'vera');
    expect(await browser.me()).toMatchObject({ email: 'vera@example.org', role: 'admin' });
  });

  test('with an address that is not verified makes nobody, and is nobody who is there', async () => {
    const newcomer = new Browser(edge);
    expect(await newcomer.signInBy(await beginAt(newcomer), UNVERIFIED)).toMatch(/^\/sign-in\?error=/);
    expect(await newcomer.me()).toMatchObject({ error: { code: 'key_missing' } });
    await memberOf(edge, admin, 'admin', `${UNVERIFIED}@example.org`);
    const impostor = new Browser(edge);
    expect(await impostor.signInBy(await beginAt(impostor), UNVERIFIED)).toMatch(/^\/sign-in\?error=/);
    expect(await impostor.me()).toMatchObject({ error: { code: 'key_missing' } });
  });

  test('where newcomers are not taken lets in members only', async () => {
    const newcomer = new Browser(closed);
    expect(await newcomer.signInBy(await beginAt(newcomer), 'newcomer')).toBe('/sign-in?error=signup_disabled');
    const member = new Browser(closed);
    await member.signInBy(await beginAt(member), 'vera');
    expect(await member.me()).toMatchObject({ email: 'vera@example.org' });
  });

  test.each(['//evil.example', 'https://evil.example', '/\\evil.example'])(
    'asked to lead on to %s it leads to the overview',
    async (to) => {
      const browser = new Browser(edge);
      expect(await browser.signInBy(await beginAt(browser, to), 'nora')).toBe('/');
    },
  );

  test('needs the browser that began it: a planted or repeated way back signs nobody in', async () => {
    const attacker = new Browser(edge);
    const back = await attacker.wayBack(await beginAt(attacker), 'mallory');
    const victim = new Browser(edge);
    expect((await victim.send(back)).headers.get('location')).toMatch(/^\/sign-in\?error=/);
    expect(await victim.me()).toMatchObject({ error: { code: 'key_missing' } });
    const own = new Browser(edge);
    const used = await own.wayBack(await beginAt(own), 'nora');
    expect((await own.send(used)).headers.get('location')).toBe('/');
    const again = await own.send(used);
    expect(again.headers.get('location')).toMatch(/^\/sign-in\?error=/);
    for (const query of ['', '?code=x', '?state=x', '?code=x&state=x', '?error=access_denied&state=x'])
      expect((await new Browser(edge).send(`/api/v1/sign-in/callback/oidc${query}`)).headers.get('location'), query).toMatch(
        /^\/sign-in\?error=/,
      );
  });

  test('is refused from a page of another site', async () => {
    const init = { method: 'POST', headers: { origin: 'https://evil.example', 'content-type': 'application/json' }, body: '{}' };
    expect((await new Browser(edge).send('/api/v1/sign-in/provider', init)).status).toBe(403);
  });
});

test('a provider that is down says so, keeps nobody from signing in by password, and is asked again', async () => {
  const oidc = { name: 'Away', issuer: 'http://127.0.0.1:1', clientId: 'x', clientSecret: 'y', scopes: ['openid'], newcomers: null };
  const away = await startGuardedEdge(database.postgres.connection, {}, { baseUrl: PUBLIC, oidc });
  const begun = await new Browser(away).begin();
  expect(begun.status).toBe(503);
  expect(await begun.json()).toMatchObject({ error: { code: 'provider_unreachable' } });
  expect((await new Visitor(away).signIn('ada@example.org')).status).toBe(200);
  await away.stop();
});

test('without a provider there is no way there', async () => {
  const plain = await startGuardedEdge(database.postgres.connection, {}, { baseUrl: PUBLIC });
  expect(await (await new Browser(plain).begin()).json()).toMatchObject({ error: { code: 'provider_missing' } });
  expect((await new Visitor(plain).send('GET', '/api/v1/access')).body).toEqual({ auth: 'on', has_admin: true, provider: null });
  await plain.stop();
});
