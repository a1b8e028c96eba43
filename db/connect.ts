import { connect as connectSocket, type Socket } from 'node:net';
import { parse } from 'pg-connection-string';
import postgres from 'postgres';

/** Where the database listens: a connection URL, or the parts of one; a `host` that begins with `/` is a socket folder. */
export type DatabaseAddress =
  | { readonly url: string }
  | { readonly host: string; readonly port: number; readonly user: string; readonly database: string; readonly password?: string };

export type Sql = postgres.Sql<{ bigint: bigint }>;

const CONNECT_TIMEOUT_S = 5;
const STATEMENT_TIMEOUT_MS = 30_000;

/**
 * Connections for single statements; transactions go through `Transactions`, since this driver does not survive a
 * server that dies amid one. A pool of at most `max` connections. `bigint` columns arrive as `bigint`, instants as `Date`. Nothing connects
 * before the first query, and a lost connection is opened again by the next one.
 */
export function connectDatabase(address: DatabaseAddress, max: number, name: string): Sql {
  const options = {
    max,
    connect_timeout: CONNECT_TIMEOUT_S,
    // A fleet that restarts needs the database back at once: never wait long before the next try.
    backoff: (retries: number) => Math.min(1, 0.05 * 2 ** retries),
    onnotice: () => undefined,
    fetch_types: false,
    types: { bigint: postgres.BigInt },
    connection: { application_name: `tidemark ${name}`, statement_timeout: STATEMENT_TIMEOUT_MS, TimeZone: 'UTC' },
  };
  if ('url' in address) {
    const place = placeOf(address.url);
    if (place.host.startsWith('/')) return postgres({ ...options, ...place });
    return postgres(address.url, { ...options, ...tcpWithoutDelay(place.host, place.port) });
  }
  return postgres({ ...options, ...address, ...tcpWithoutDelay(address.host, address.port) });
}

/** What a URL leaves out is not there, so that the driver finds its own default. A socket folder is a parameter `host`, or an encoded host. */
function placeOf(url: string) {
  const { host, port, user, password, database } = parse(url);
  return {
    host: host ?? '',
    port: Number(port ?? 5432) || 5432,
    ...(user === undefined ? {} : { user }),
    ...(typeof password === 'string' ? { password } : {}),
    ...(typeof database === 'string' ? { database } : {}),
  };
}

/**
 * Over TCP the driver leaves Nagle's algorithm on and every COPY then waits for a delayed acknowledgement, 40 ms
 * or more each. Its `socket` option lets us open the socket without delay; it is handed over before it is
 * connected, so that a refused connection ends in the driver's own error handling and is tried again.
 */
function tcpWithoutDelay(host: string, port: number): { socket?: () => Socket } {
  if (host.startsWith('/')) return {};
  return { socket: () => connectSocket({ host: host.replace(/^\[|\]$/g, '') || '127.0.0.1', port, noDelay: true, keepAlive: true }) };
}
