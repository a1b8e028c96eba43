import type { IncomingHttpHeaders } from 'node:http';

/** Which names a browser may have reached the proxy by, and from which pages. */
export interface OriginPolicy {
  /** Host names (without port) that are ours; null: not known, so that any `Host` passes, but no page is taken for ours by it. */
  readonly allowedHosts: readonly string[] | null;
  /** Further pages that may use the proxy, as browsers name them: `https://inspector.example`. */
  readonly allowedOrigins: readonly string[];
}

export const LOOPBACK_HOSTS: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

export interface GuardRefusal {
  readonly status: 403 | 421;
  readonly code: 'host_not_allowed' | 'origin_not_allowed';
  readonly message: string;
}

/**
 * Checks `Host` and `Origin` against DNS rebinding: the upstream sees only the proxy as its peer, so its own
 * protection no longer covers browsers. An absent `Origin` is no browser and passes.
 */
export function refuseForeignOrigin(headers: IncomingHttpHeaders, policy: OriginPolicy): GuardRefusal | null {
  const host = hostName(headers.host ?? '');
  if (policy.allowedHosts !== null && !policy.allowedHosts.includes(host)) {
    return { status: 421, code: 'host_not_allowed', message: 'this Host is not served here; add it to proxy.allowed_hosts' };
  }
  const origin = headers.origin;
  if (origin === undefined || policy.allowedOrigins.includes(origin)) return null;
  const url = parseOrigin(origin);
  // That a page's origin equals the Host that it calls proves nothing by itself: a rebound name looks just so.
  if (url !== null && policy.allowedHosts?.includes(url.hostname) === true && isSamePlace(url, headers.host ?? '')) return null;
  return {
    status: 403,
    code: 'origin_not_allowed',
    message: 'this Origin may not use the proxy; add it to proxy.allowed_origins',
  };
}

/** A page of a name of ours must be of its port too; on this machine itself each port is as near as any other. */
function isSamePlace(origin: URL, host: string): boolean {
  if (LOOPBACK_HOSTS.includes(origin.hostname)) return LOOPBACK_HOSTS.includes(hostName(host));
  return origin.host === host.toLowerCase();
}

function hostName(host: string): string {
  return host.replace(/:\d+$/, '').toLowerCase();
}

function parseOrigin(origin: string): URL | null {
  try {
    return new URL(origin);
  } catch {
    return null;
  }
}
