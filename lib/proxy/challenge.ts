import type { IncomingMessage } from 'node:http';
import { ownOrigin, RESOURCE_METADATA } from '@/lib/proxy/own-url';

const PARAMETER = /(\bresource_metadata\s*=\s*)(?:"([^"]*)"|([^\s,"]+))/gi;

/**
 * Headers of a 401 or 403 whose `resource_metadata` leads to the proxy. Clients take the metadata only where its `resource` is
 * the URL that they call (RFC 9728, section 3.3), which the upstream's own cannot be. A challenge that names the host by which the client came
 * stays: there a gateway serves the proxy under the upstream's own name.
 *
 * @param raw headers of the upstream's answer
 * @param req the client's request, `/proxy/{route}`
 */
export function ownChallenge(raw: string[], req: IncomingMessage): string[] {
  if (!raw.some((text, i) => i % 2 === 0 && isChallenge(text))) return raw;
  return raw.map((text, i) => (i % 2 === 1 && isChallenge(raw[i - 1] ?? '') ? withOwnMetadata(text, req) : text));
}

const isChallenge = (name: string): boolean => name.toLowerCase() === 'www-authenticate';

function withOwnMetadata(challenge: string, req: IncomingMessage): string {
  return challenge.replace(PARAMETER, (whole: string, name: string, quoted: string | undefined, bare: string | undefined) => {
    const named = parseUrl(quoted ?? bare ?? '');
    if (named === null || !`${named.pathname}/`.startsWith(`${RESOURCE_METADATA}/`) || named.host === req.headers.host) return whole;
    const path = (req.url ?? '').split('?')[0]?.replace(/\/$/, '') ?? '';
    const suffix = named.pathname.slice(RESOURCE_METADATA.length);
    return `${name}"${ownOrigin(req)}${RESOURCE_METADATA}${path}?of=${encodeURIComponent(suffix)}"`;
  });
}

function parseUrl(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}
