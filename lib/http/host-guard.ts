import type { IncomingMessage } from 'node:http';
import { type Caller, LOCAL_CALLER } from '@/lib/http/caller';
import { HttpError } from '@/lib/http/http-error';

const LOOPBACK = /^(?:localhost|(?:[a-z0-9-]+\.)*localhost|127(?:\.\d{1,3}){3}|\[::1\])$/i;
const SAFE_METHODS: ReadonlySet<string | undefined> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Protects a server that asks for no key from pages of other sites in the operator's own browser: a name that was
 * rebound to loopback is refused by its Host, a write (or a WebSocket, which no same-origin rule covers) from
 * another site by its Origin. Programs send no Origin and are not affected.
 *
 * @throws HttpError `host_not_allowed`, `cross_origin`
 */
export function guardLoopback(request: IncomingMessage): Caller {
  const host = request.headers.host;
  if (host !== undefined && !LOOPBACK.test(hostName(host))) {
    throw new HttpError('host_not_allowed', 'the host header does not name this machine');
  }
  const origin = request.headers.origin;
  const isWrite = !SAFE_METHODS.has(request.method) || request.headers.upgrade !== undefined;
  if (origin !== undefined && isWrite && origin !== `http://${host}` && origin !== `https://${host}`) {
    throw new HttpError('cross_origin', 'the request comes from another origin');
  }
  return LOCAL_CALLER;
}

function hostName(host: string): string {
  return host.replace(/:\d*$/, '');
}
