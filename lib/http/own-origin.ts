import type { IncomingMessage } from 'node:http';
import { HttpError } from '@/lib/http/http-error';

const SAFE_METHODS: ReadonlySet<string | undefined> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Whether a request changes something, or is a WebSocket, which no same-origin rule of browsers covers. */
export function needsOwnOrigin({ method, headers }: IncomingMessage): boolean {
  return !SAFE_METHODS.has(method) || headers.upgrade !== undefined;
}

/**
 * Refuses a request that a browser sends with our cookie for another site's page. Browsers name the origin of every
 * request that changes something; one without it comes from no page of ours. `publicOrigin` is where people reach the
 * server when something in between changes the Host.
 *
 * @throws HttpError `cross_origin`
 */
export function requireOwnOrigin({ headers }: IncomingMessage, publicOrigin: string | null): void {
  const { origin, host } = headers;
  const isOwn = origin !== undefined && (origin === `http://${host}` || origin === `https://${host}` || origin === publicOrigin);
  if (!isOwn) throw new HttpError('cross_origin', 'the request does not come from a page of this server');
}
