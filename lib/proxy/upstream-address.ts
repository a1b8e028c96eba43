/** The upstream's address, taken apart once. */
export interface UpstreamAddress {
  readonly protocol: 'http:' | 'https:';
  /** Value of the `Host` header. */
  readonly authority: string;
  /** Host name as sockets take it: an IPv6 address without its brackets. */
  readonly host: string;
  readonly port: number;
  readonly path: string;
  /** The endpoint's own query with its question mark, or empty. */
  readonly search: string;
}

export function addressOf(url: URL): UpstreamAddress {
  const protocol = url.protocol === 'https:' ? 'https:' : 'http:';
  return {
    protocol,
    authority: url.host,
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? (protocol === 'https:' ? 443 : 80) : Number(url.port),
    path: url.pathname,
    search: url.search,
  };
}
