import { request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { decodedSegment } from '@/lib/proxy/decoded-segment';
import { forwardHeaders } from '@/lib/proxy/headers';
import { ownOrigin, RESOURCE_METADATA } from '@/lib/proxy/own-url';
import { sendError } from '@/lib/proxy/refusal';
import type { RouteRuntime } from '@/lib/proxy/route-runtime';

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

interface Answer {
  readonly status: number;
  readonly raw: string[];
  readonly body: Buffer;
}

/**
 * Serves the OAuth metadata of a route's upstream at the proxy's own origin. Clients compare the `resource` of the
 * protected-resource document with the URL that they call, so where it does not cover the route's own URL, that stands there; all else stays.
 */
export function serveWellKnown(route: RouteRuntime, document: string, req: IncomingMessage, res: ServerResponse): void {
  firstFound(route, placesOf(route, document, req)).then(
    ({ status, raw, body }) => {
      const own = document === RESOURCE_METADATA && status === 200 ? withResource(body, ownUrl(route, req)) : body;
      res.writeHead(status, forwardHeaders(raw, { 'content-length': String(own.length) })).end(own);
    },
    () => {
      if (!res.headersSent) sendError(res, 502, 'upstream_unreachable', 'the upstream did not answer with its metadata', 'retry later');
      else res.destroy();
    },
  );
}

/** URLs of the upstream at which a document may be: where its 401 said, beside its endpoint, and at its root. */
function placesOf({ url }: RouteRuntime, document: string, req: IncomingMessage): readonly URL[] {
  const named = document === RESOURCE_METADATA ? new URL(req.url ?? '/', 'http://localhost').searchParams.get('of') : null;
  const beside = url.pathname === '/' ? '' : url.pathname;
  const places = [...(named === null ? [] : [named]), beside, ''].map((suffix) => new URL(`${document}${suffix}`, url));
  // A path may climb out of where it began, and what is asked for is said by a client: only metadata is handed out.
  const own = places.filter(({ origin, pathname }) => origin === url.origin && `${pathname}/`.startsWith(`${document}/`));
  return own.filter(({ pathname }, i) => own.findIndex((one) => one.pathname === pathname) === i);
}

async function firstFound(route: RouteRuntime, places: readonly URL[]): Promise<Answer> {
  const [first, ...others] = places;
  if (first === undefined) throw new Error('there is no place to ask');
  let answer = await ask(route, first);
  for (const place of others) {
    if (answer.status === 200) return answer;
    const next = await ask(route, place);
    if (next.status === 200) answer = next;
  }
  return answer;
}

function ask(route: RouteRuntime, place: URL): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const upstream = (place.protocol === 'https:' ? httpsRequest : httpRequest)(
      place,
      { method: 'GET', headers: { accept: 'application/json' }, agent: route.agent, timeout: METADATA_TIMEOUT_MS },
      (response) => {
        const chunks: Buffer[] = [];
        let size = 0;
        response.on('data', (chunk: Buffer) => {
          size += chunk.length;
          if (size > METADATA_BYTES_MAX) upstream.destroy(new Error('metadata too large'));
          else chunks.push(chunk);
        });
        response.on('error', reject);
        response.on('end', () => {
          const { statusCode, rawHeaders } = response;
          resolve({ status: statusCode ?? 502, raw: rawHeaders, body: Buffer.concat(chunks) });
        });
      },
    );
    upstream.on('timeout', () => upstream.destroy(new Error('metadata timed out')));
    upstream.on('error', reject);
    upstream.end();
  });
}

const ownUrl = (route: RouteRuntime, req: IncomingMessage): URL =>
  new URL(`/proxy/${encodeURIComponent(route.route.name)}`, ownOrigin(req));

function withResource(body: Buffer, own: URL): Buffer {
  try {
    const document: unknown = JSON.parse(body.toString('utf8'));
    if (typeof document !== 'object' || document === null || ('resource' in document && covers(document.resource, own))) return body;
    // What the upstream signed names its own resource, and would go before what stands beside it.
    const { signed_metadata: _signed, ...rest } = { signed_metadata: null, ...document };
    return Buffer.from(JSON.stringify({ ...rest, resource: own.href }));
  } catch {
    return body;
  }
}

/** Whether clients take a resource for the one that they call: same origin, and a path that leads there. */
function covers(resource: unknown, own: URL): boolean {
  if (typeof resource !== 'string' || !URL.canParse(resource)) return false;
  const { origin, pathname } = new URL(resource);
  const folder = pathname.endsWith('/') ? pathname : `${pathname}/`;
  return origin === own.origin && `${own.pathname}/`.startsWith(folder);
}
