import type { IncomingMessage, ServerResponse } from 'node:http';
import type { EnforcingProxy } from '@/lib/proxy/create-proxy';
import { decodedSegment } from '@/lib/proxy/decoded-segment';
import { sendError } from '@/lib/proxy/refusal';

const ROUTE = /^\/proxy\/([^/?]+)(.*)$/s;

/** Answers what belongs to the proxy, `/proxy/{route}` and the metadata beside it, and says so; false leaves the request alone. */
export function servePath(proxy: EnforcingProxy, req: IncomingMessage, res: ServerResponse): boolean {
  const url = req.url ?? '/';
  if (url.startsWith('/.well-known/')) return proxy.handleWellKnown(req, res, url.split('?')[0] ?? url);
  const match = ROUTE.exec(url);
  if (match === null) return false;
  const name = decodedSegment(match[1] ?? '');
  if (name === null) sendError(res, 404, 'route_not_found', 'no such proxy route', 'use /proxy/{route} with a configured route');
  else proxy.handle(req, res, name, match[2] ?? '');
  return true;
}
