import { expect, test } from 'vitest';
import { parseConfigFile } from '@/lib/config/parse-file';

const file = (oidc: Record<string, unknown>) => parseConfigFile(JSON.stringify({ sign_in: { oidc } }));
const OIDC = { name: 'SSO', issuer: 'https://sso.example.org/', client_id: 'tidemark' };

test('a provider has the scopes that name a person, takes no newcomers and keeps no secret unless told', () => {
  expect(file(OIDC)).toMatchObject({
    ok: true,
    value: {
      oidc: {
        name: 'SSO',
        issuer: 'https://sso.example.org',
        clientId: 'tidemark',
        clientSecret: null,
        scopes: ['openid', 'email', 'profile'],
        newcomers: null,
      },
    },
  });
  expect(parseConfigFile('{}')).toMatchObject({ ok: true, value: { oidc: null } });
});

test.each([
  [{ ...OIDC, issuer: 'http://sso.example.org' }, 'sign_in.oidc.issuer'],
  [{ ...OIDC, issuer: 'sso.example.org' }, 'sign_in.oidc.issuer'],
  [{ ...OIDC, newcomers: 'root' }, 'sign_in.oidc.newcomers'],
  [{ ...OIDC, scopes: ['a b'] }, 'sign_in.oidc.scopes[0]'],
  [{ name: 'SSO', issuer: 'https://sso.example.org' }, 'sign_in.oidc.client_id'],
])('%j is refused for %s', (oidc, path) => {
  const parsed = file(oidc);
  expect(parsed.ok ? [] : parsed.error.map((problem) => problem.path)).toEqual([path]);
});

test('on loopback a provider may be asked without HTTPS', () => {
  expect(file({ ...OIDC, issuer: 'http://127.0.0.1:4000' }).ok).toBe(true);
});
