import type { IncomingMessage } from 'node:http';

/** Where clients find the protected-resource metadata of a resource: this, and the path of the resource after it (RFC 9728, section 3). */
export const RESOURCE_METADATA = '/.well-known/oauth-protected-resource';

/** The origin by which a client reached the proxy, as its request tells; whoever ends TLS in front says so in `X-Forwarded-Proto`. */
export function ownOrigin(req: IncomingMessage): string {
  const forwarded = String(req.headers['x-forwarded-proto'] ?? '').split(',')[0];
  const isSecure = forwarded?.trim() === 'https' || 'encrypted' in req.socket;
  return `${isSecure ? 'https' : 'http'}://${req.headers.host ?? 'localhost'}`;
}
