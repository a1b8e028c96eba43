import Type from 'typebox';
import { HttpError } from '@/lib/http/http-error';
import { ok, type Route } from '@/lib/http/route';
import { MeBody } from '@/lib/wire/access-responses';
import type { Access } from '@/server/access/access';
import { cookiesOf, libraryHeaders } from '@/server/access/sign-in-cookies';
import { decodeBody } from '@/server/api/decode-body';
import { NewPassword, Typed } from '@/server/api/member-input';
import { countTry } from '@/server/api/sign-in-routes';

const PasswordInput = Type.Object({ current: Typed, next: NewPassword }, { description: 'an object with current and next' });

/** What callers may know and change of themselves. */
export function meRoutes(access: Access): Route[] {
  const { library, baseUrl } = access;
  return [
    {
      method: 'GET',
      path: '/api/v1/me',
      summary: 'Who asks, and what they may do; a member’s sign-in is prolonged by it',
      answers: { 200: MeBody },
      handle: async ({ caller, request }) => {
        const { member } = caller;
        const body: MeBody = {
          kind: member !== undefined ? 'member' : access.auth === 'off' ? 'local' : 'key',
          name: member?.name ?? caller.name,
          email: member?.email ?? null,
          role: member?.role ?? null,
          scopes: [...caller.scopes],
        };
        if (member === undefined) return ok(body);
        const response = await library.api.getSession({ headers: libraryHeaders(request), asResponse: true });
        return { ...ok(body), headers: { 'set-cookie': cookiesOf(response, request, baseUrl) } };
      },
    },
    {
      method: 'POST',
      path: '/api/v1/me/password',
      summary: 'Changes the password of the member who asks; their other sign-ins end',
      scope: 'read',
      body: { 'application/json': PasswordInput },
      answers: { 200: Type.Object({ changed: Type.Boolean() }) },
      errors: ['malformed_json', 'invalid_field', 'access_off', 'sign_in_refused', 'sign_in_limited'],
      handle: async (call) => {
        const { member } = call.caller;
        if (member === undefined) throw new HttpError('access_off', 'only a member who signed in has a password');
        const { current, next } = await decodeBody(call, PasswordInput);
        await countTry(access, call.request.socket.remoteAddress ?? '', member.email);
        const response = await library.api.changePassword({
          body: { currentPassword: current, newPassword: next, revokeOtherSessions: true },
          headers: libraryHeaders(call.request),
          asResponse: true,
        });
        if (!response.ok) throw new HttpError('sign_in_refused', 'the current password is wrong', { path: 'current' });
        await access.members.notePassword(member.id, { actor: member.email, atMs: access.now() });
        return { ...ok({ changed: true }), headers: { 'set-cookie': cookiesOf(response, call.request, baseUrl) } };
      },
    },
  ];
}
