import Type from 'typebox';
import { HttpError } from '@/lib/http/http-error';
import { requireOwnOrigin } from '@/lib/http/own-origin';
import { type Call, ok, type Route } from '@/lib/http/route';
import { queryHasAdmin } from '@/lib/query/members';
import { AccessBody } from '@/lib/wire/access-responses';
import type { Access } from '@/server/access/access';
import { cookiesOf, libraryHeaders } from '@/server/access/sign-in-cookies';
import { decodeBody } from '@/server/api/decode-body';
import { Typed } from '@/server/api/member-input';

/** Tries in 15 minutes: for one account from one address, for all from one address, for one account from anywhere. */
const TRIES = { pair: 10, address: 100, account: 100 } as const;
const SignInInput = Type.Object({ email: Typed, password: Typed }, { description: 'an object with email and password' });
const SignOutInput = Type.Object(
  { everywhere: Type.Optional(Type.Boolean({ description: 'true: every sign-in of this member ends' })) },
  { description: 'an object' },
);

/** Signing in and out. Nobody needs a scope for it; what sets a cookie must come from a page of our own. */
export function signInRoutes(access: Access): Route[] {
  return [
    {
      method: 'GET',
      path: '/api/v1/access',
      summary: 'What a page needs to know before anybody signed in',
      scope: 'none',
      answers: { 200: AccessBody },
      handle: async () => ok({ auth: access.auth, has_admin: await queryHasAdmin(access.sql), provider: access.oidc?.name ?? null }),
    },
    {
      method: 'POST',
      path: '/api/v1/sign-in',
      summary: 'Signs a member in by password; the answer sets the cookie',
      scope: 'none',
      body: { 'application/json': SignInInput },
      answers: { 200: Type.Object({ signed_in: Type.Boolean() }) },
      errors: ['malformed_json', 'invalid_field', 'access_off', 'sign_in_refused', 'sign_in_limited'],
      handle: async (call) => {
        requireSignIn(access, call);
        const { email, password } = await decodeBody(call, SignInInput);
        return { ...ok({ signed_in: true }), headers: { 'set-cookie': await signIn(access, call, email, password) } };
      },
    },
    {
      method: 'POST',
      path: '/api/v1/sign-out',
      summary: 'Ends this sign-in, or every one of this member; also where it is over already',
      scope: 'none',
      body: { 'application/json': SignOutInput },
      answers: { 200: Type.Object({ signed_out: Type.Boolean() }) },
      errors: ['malformed_json', 'invalid_field', 'access_off'],
      handle: async (call) => {
        requireSignIn(access, call);
        const { everywhere } = await decodeBody(call, SignOutInput);
        const member = everywhere === true ? await access.memberOf(call.request) : null;
        if (member !== null) await access.members.signOutEverywhere(member.id, { actor: member.email, atMs: access.now() });
        const response = await access.library.api.signOut({ headers: libraryHeaders(call.request), asResponse: true });
        return { ...ok({ signed_out: true }), headers: { 'set-cookie': cookiesOf(response, call.request, access.baseUrl) } };
      },
    },
  ];
}

/** @throws HttpError `access_off` where nobody is asked to sign in, `cross_origin` for a request of another site */
export function requireSignIn({ auth, baseUrl }: Access, { request }: Call): void {
  if (auth === 'off') throw new HttpError('access_off', 'this server asks nobody to sign in');
  requireOwnOrigin(request, new URL(baseUrl).origin);
}

/**
 * Signs somebody in and gives the cookies for it. A sign-in that the request came with ends: what another person left in
 * this browser, or planted there, is of no use any more.
 *
 * @throws HttpError `sign_in_limited`, `sign_in_refused` (the same whatever was wrong)
 */
export async function signIn(access: Access, { request }: Call, email: string, password: string): Promise<string[]> {
  await countTry(access, request.socket.remoteAddress ?? '', email);
  const headers = libraryHeaders(request);
  const response = await access.library.api.signInEmail({ body: { email, password }, headers, asResponse: true });
  if (response.status >= 500) throw new HttpError('database_unavailable', 'sign-ins cannot be looked up');
  if (!response.ok) throw new HttpError('sign_in_refused', 'the e-mail address or the password is wrong');
  await access.tries.forget(pairHash(access, request.socket.remoteAddress ?? '', email));
  await access.library.api.signOut({ headers });
  return cookiesOf(response, request, access.baseUrl);
}

/** @throws HttpError `sign_in_limited` */
export async function countTry(access: Access, address: string, email: string): Promise<void> {
  const { hasher, tries, now } = access;
  const limits = [
    { hash: pairHash(access, address, email), max: TRIES.pair },
    { hash: hasher.keyed('tries of an address', address), max: TRIES.address },
    { hash: hasher.keyed('tries of an account', email.toLowerCase()), max: TRIES.account },
  ];
  const waitS = await tries.count(limits, now());
  if (waitS > 0) {
    const headers = { 'retry-after': String(waitS) };
    throw new HttpError('sign_in_limited', `too many tries to sign in; there may be another in ${waitS} s`, { headers });
  }
}

const pairHash = ({ hasher }: Access, address: string, email: string): string =>
  hasher.keyed('tries of a pair', `${email.toLowerCase()}\0${address}`);
