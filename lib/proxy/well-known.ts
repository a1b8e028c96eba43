import type { IncomingMessage, ServerResponse } from 'node:http';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { decodedSegment } from '@/lib/proxy/decoded-segment';
import { forwardHeaders } from '@/lib/proxy/headers';
import { sendError } from '@/lib/proxy/refusal';
import type { RouteRuntime } from '@/lib/proxy/route-runtime';

const RESOURCE_METADATA = '/.well-known/oauth-protected-resource';
const METADATA_BYTES_MAX = 256 * 1024;
const METADATA_TIMEOUT_MS = 10_000;
/** Documents that clients look for beside a route, by the part of the path before `/proxy/{route}`. */
const DOCUMENTS: readonly string[] = [RESOURCE_METADATA, '/.well-known/oauth-authorization-server', '/.well-known/openid-configuration'];

/** The document and the route that a path asks for; null for any other path. */
export function wellKnownTarget(path: string): { readonly document: string; readonly route: string } | null {
  for (const document of DOCUMENTS) {
    const match = path.startsWith(`${document}/proxy/`) ? path.slice(`${document}/proxy/`.length) : null;
    if (match === null || match === '' || match.includes('/')) continue;
    const route = decodedSegment(match);
    return route === null ? null : { document, route };
  }
  return null;
}

/**
 * Serves the OAuth metadata of a route's upstream at the proxy's own origin. Clients compare the `resource` of the
 * protected-resource document with the URL that they call, so there it is the route's own URL; all else stays.
 */
export function serveWellKnown(route: RouteRuntime, document: string, req: IncomingMessage, res: ServerResponse): void {
  const { url } = route;
  const path = `${document}${url.pathname === '/' ? '' : url.pathname}`;
  const fail = () => {
    if (!res.headersSent) sendError(res, 502, 'upstream_unreachable', 'the upstream did not answer with its metadata', 'retry later');
    else res.destroy();
  };
  const upstream = (url.protocol === 'https:' ? httpsRequest : httpRequest)(
    new URL(path, url),
    { method: 'GET', headers: { accept: 'application/json' }, agent: route.agent, timeout: METADATA_TIMEOUT_MS },
    (response) => {
      const chunks: Buffer[] = [];
      let size = 0;
      response.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size > METADATA_BYTES_MAX) upstream.destroy(new Error('metadata too large'));
        else chunks.push(chunk);
      });
      response.on('end', () => {
        const body = Buffer.concat(chunks);
        const own = document === RESOURCE_METADATA && response.statusCode === 200 ? withResource(body, ownUrl(route, req)) : body;
        res.writeHead(response.statusCode ?? 502, forwardHeaders(response.rawHeaders, { 'content-length': String(own.length) }));
        res.end(own);
      });
    },
  );
  upstream.on('timeout', () => upstream.destroy(new Error('metadata timed out')));
  upstream.on('error', fail);
  upstream.end();
}

function ownUrl(route: RouteRuntime, req: IncomingMessage): string {
  const isSecure = req.headers['x-forwarded-proto'] === 'https' || 'encrypted' in req.socket;
  return `${isSecure ? 'https' : 'http'}://${req.headers.host ?? 'localhost'}/proxy/${encodeURIComponent(route.route.name)}`;
}

function withResource(body: Buffer, resource: string): Buffer {
  try {
    const document: unknown = JSON.parse(body.toString('utf8'));
    if (typeof document !== 'object' || document === null) return body;
    return Buffer.from(JSON.stringify({ ...document, resource }));
  } catch {
    return body;
  }
}
