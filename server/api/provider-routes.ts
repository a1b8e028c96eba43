import Type from 'typebox';
import { ownPath } from '@/lib/access/own-path';
import { HttpError } from '@/lib/http/http-error';
import { ok, type Route } from '@/lib/http/route';
import type { Access } from '@/server/access/access';
import { cookiesOf, libraryHeaders } from '@/server/access/sign-in-cookies';
import { LIBRARY_PATH, PROVIDER_ID, type SignInLibrary } from '@/server/access/sign-in-library';
import { decodeBody } from '@/server/api/decode-body';
import { Typed } from '@/server/api/member-input';
import { requireSignIn } from '@/server/api/sign-in-routes';

const CALLBACK = `${LIBRARY_PATH}/callback/${PROVIDER_ID}`;
const StartInput = Type.Object({ to: Type.Optional(Typed) }, { description: 'an object' });

/** Signing in by a provider of OpenID Connect: the way there, and the way back. */
export function providerRoutes(access: Access): Route[] {
  return [
    {
      method: 'POST',
      path: '/api/v1/sign-in/provider',
      summary: 'Begins a sign-in at the OpenID provider; the answer says where to go, and sets a cookie for the way back',
      scope: 'none',
      body: { 'application/json': StartInput },
      answers: { 200: Type.Object({ url: Type.String() }) },
      errors: ['malformed_json', 'invalid_field', 'access_off', 'provider_missing', 'provider_unreachable'],
      handle: async (call) => {
        requireSignIn(access, call);
        const library = libraryOf(access);
        const { to } = await decodeBody(call, StartInput);
        const response = await library.api.signInSocial({
          body: { provider: PROVIDER_ID, callbackURL: ownPath(to), errorCallbackURL: '/sign-in', disableRedirect: true },
          headers: libraryHeaders(call.request),
          asResponse: true,
        });
        const answer: unknown = response.ok ? await response.json() : null;
        const url = typeof answer === 'object' && answer !== null && 'url' in answer ? answer.url : null;
        if (typeof url !== 'string') throw new HttpError('provider_unreachable', 'the provider cannot be asked now');
        return { ...ok({ url }), headers: { 'set-cookie': cookiesOf(response, call.request, access.baseUrl) } };
      },
    },
    {
      method: 'GET',
      path: CALLBACK,
      summary: 'Where the OpenID provider leads back to: ends in a sign-in, or on the page of the sign-in with what went wrong',
      scope: 'none',
      query: Type.Object({
        code: Type.Optional(Type.String()),
        state: Type.Optional(Type.String()),
        error: Type.Optional(Type.String()),
      }),
      answers: { 302: 'text/plain' },
      errors: ['access_off', 'provider_missing', 'database_unavailable'],
      handle: async ({ request, query }) => {
        if (access.auth === 'off') throw new HttpError('access_off', 'this server asks nobody to sign in');
        const headers = libraryHeaders(request);
        const response = await libraryOf(access).handler(new Request(`${access.baseUrl}${CALLBACK}?${query}`, { headers }));
        if (response.status >= 500) throw new HttpError('database_unavailable', 'sign-ins cannot be looked up');
        return {
          status: 302,
          body: '',
          mediaType: 'text/plain',
          headers: { location: ownLocation(response, access.baseUrl), 'set-cookie': cookiesOf(response, request, access.baseUrl) },
        };
      },
    },
  ];
}

function libraryOf({ providerLibrary }: Access): SignInLibrary {
  const library = providerLibrary();
  if (library === null) throw new HttpError('provider_missing', 'no OpenID provider is configured');
  return library;
}

/** Where the library sends the browser, on this server only; what it refuses without a place to say so ends on the sign-in. */
function ownLocation(response: Response, baseUrl: string): string {
  const location = response.headers.get('location');
  if (location === null) return '/sign-in?error=refused';
  const path = ownPath(location.startsWith(`${baseUrl}/`) ? location.slice(baseUrl.length) : location);
  return path.startsWith(LIBRARY_PATH) ? `/sign-in${path.replace(/^[^?]*/, '')}` : path;
}
