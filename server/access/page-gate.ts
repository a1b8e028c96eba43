import type { IncomingMessage } from 'node:http';
import type { SignedIn } from '@/lib/http/caller';

/** Pages for people who did not sign in, and files of the pages themselves: they hold nothing of this installation. */
const OPEN = /^\/(?:sign-in|join|shared\/[^/]+)$|^\/_next\/|^\/[^/]+\.[a-z0-9]{2,5}$/;

/**
 * Where the request for a page is sent instead: to the sign-in, with the way back, when nobody signed in; null lets it
 * pass. What pages show comes from the API, which asks for itself; this spares people an empty one.
 */
export async function signInPathFor(
  request: IncomingMessage,
  memberOf: (request: IncomingMessage) => Promise<SignedIn | null>,
): Promise<string | null> {
  const url = request.url ?? '/';
  const path = url.split('?', 1)[0] ?? '/';
  const isPage = request.method === 'GET' || request.method === 'HEAD';
  // The router of a page that is open asks for parts of the next one; its own requests of the API send it to the sign-in.
  if (!isPage || OPEN.test(path) || request.headers['rsc'] !== undefined) return null;
  // While sign-ins cannot be looked up, the page comes and says so itself.
  const isSignedIn = await memberOf(request).then(
    (member) => member !== null,
    () => true,
  );
  return isSignedIn ? null : `/sign-in${url === '/' ? '' : `?to=${encodeURIComponent(url)}`}`;
}
