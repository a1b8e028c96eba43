import type { IncomingHttpHeaders } from 'node:http';

/** Which names a browser may have reached the proxy by, and from which pages. */
export interface OriginPolicy {
  /** Host names (without port) that are ours; null lets any through, for a proxy behind a balancer that checks. */
  readonly allowedHosts: readonly string[] | null;
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
    return { status: 421, code: 'host_not_allowed', message: 'this Host is not served here; add it to the allowed hosts' };
  }
  const origin = headers.origin;
  if (origin === undefined || policy.allowedOrigins.includes(origin)) return null;
  const url = parseOrigin(origin);
  if (url !== null && url.host === (headers.host ?? '').toLowerCase()) return null;
  if (url !== null && policy.allowedHosts?.includes(url.hostname) === true) return null;
  return {
    status: 403,
    code: 'origin_not_allowed',
    message: 'this Origin may not use the proxy; add it to the allowed origins of the route',
  };
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
