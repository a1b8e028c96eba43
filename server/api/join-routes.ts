import { hashPassword } from 'better-auth/crypto';
import Type from 'typebox';
import { HttpError } from '@/lib/http/http-error';
import { ok, type Route } from '@/lib/http/route';
import { LinkBody } from '@/lib/wire/access-responses';
import type { Access } from '@/server/access/access';
import { decodeBody } from '@/server/api/decode-body';
import { Email, NewPassword, PersonName, Typed } from '@/server/api/member-input';
import { requireSignIn, signIn } from '@/server/api/sign-in-routes';

const LookInput = Type.Object({ token: Typed }, { description: 'an object with token' });
const JoinInput = Type.Object(
  { token: Typed, name: Type.Optional(PersonName), email: Type.Optional(Email), password: NewPassword },
  { description: 'an object with token and password' },
);

/** What the holder of a one-time link can do with it. The token travels in bodies, never in an address that is logged. */
export function joinRoutes(access: Access): Route[] {
  const { invitations, hasher, now } = access;
  const look = async (token: string) => {
    const hash = hasher.hashOf('tdi', token);
    const link = hash === null ? null : await invitations.look(hash, now());
    if (hash === null || link === null) throw noLink();
    return { hash, link };
  };
  return [
    {
      method: 'POST',
      path: '/api/v1/join/look',
      summary: 'What a one-time link is for; it is not used up by that',
      scope: 'none',
      body: { 'application/json': LookInput },
      answers: { 200: LinkBody },
      errors: ['malformed_json', 'invalid_field', 'access_off', 'link_invalid'],
      handle: async (call) => {
        requireSignIn(access, call);
        const { link } = await look((await decodeBody(call, LookInput)).token);
        const { kind, role, email, createdBy, expiresAtMs } = link;
        return ok({ kind, role, email, created_by: createdBy, expires_at: new Date(expiresAtMs).toISOString() });
      },
    },
    {
      method: 'POST',
      path: '/api/v1/join',
      summary: 'Takes a one-time link: makes the member, or sets the password, that it is for, and signs in',
      scope: 'none',
      body: { 'application/json': JoinInput },
      answers: { 201: Type.Object({ email: Type.String() }) },
      errors: ['malformed_json', 'invalid_field', 'access_off', 'link_invalid', 'member_exists', 'sign_in_limited'],
      handle: async (call) => {
        requireSignIn(access, call);
        const input = await decodeBody(call, JoinInput);
        // Looked at first: nobody without a link makes us hash a password.
        const { hash, link } = await look(input.token);
        const email = (link.email ?? input.email)?.toLowerCase();
        if (email === undefined) throw new HttpError('invalid_field', 'email is required', { path: 'email' });
        const passwordHash = await hashPassword(input.password);
        const taken = await invitations.take({ hash, name: input.name ?? email, email, passwordHash, atMs: now() });
        if (taken === 'link_invalid') throw noLink();
        if (taken === 'member_exists') throw new HttpError('member_exists', 'there is a member of this e-mail address');
        const cookies = await signIn(access, call, taken.email, input.password);
        return { status: 201, body: { email: taken.email }, headers: { 'set-cookie': cookies } };
      },
    },
  ];
}

const noLink = (): HttpError => new HttpError('link_invalid', 'this link was used, has expired, was revoked, or is not whole');
