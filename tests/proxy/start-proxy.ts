import { createServer, type Server } from 'node:http';
import type { Server as TlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createProxy, type EnforcingProxy, type ProxyOptions } from '@/lib/proxy/create-proxy';
import { MemoryLogStore } from '@/lib/proxy/memory-log-store';
import { type ProxyRoute, ROUTE_DEFAULTS } from '@/lib/proxy/route';
import { servePath } from '@/lib/proxy/serve-path';
import type { TelemetryRecord } from '@/lib/wire/schema';

export interface RunningProxy {
  readonly proxy: EnforcingProxy;
  readonly origin: string;
  /** URL of a route. */
  readonly url: (route?: string) => string;
  readonly records: TelemetryRecord[];
  readonly logs: string[];
  readonly stop: () => Promise<void>;
}

export type RouteSpec = Partial<Omit<ProxyRoute, 'upstream'>> & { readonly upstream: string };

export const route = (spec: RouteSpec): ProxyRoute => ({ name: 'r', ...ROUTE_DEFAULTS, ...spec });

/** A real proxy on a port of its own, in this process. */
export async function startProxy(specs: RouteSpec | readonly RouteSpec[], options: Partial<ProxyOptions> = {}): Promise<RunningProxy> {
  const records: TelemetryRecord[] = [];
  const logs: string[] = [];
  const routes = (Array.isArray(specs) ? specs : [specs]).map(route);
  const proxy = createProxy({
    routes,
    store: new MemoryLogStore(options.clock ?? Date.now),
    secret: 'test secret',
    sink: (batch) => records.push(...batch),
    log: (level, message, fields) => logs.push(`${level} ${message} ${JSON.stringify(fields)}`),
    ...options,
  });
  const server = createServer((req, res) => {
    if (!servePath(proxy, req, res)) res.writeHead(404).end();
  });
  const port = await listen(server);
  const origin = `http://127.0.0.1:${port}`;
  return {
    proxy,
    origin,
    url: (name = routes[0]?.name ?? 'r') => `${origin}/proxy/${name}`,
    records,
    logs,
    stop: async () => {
      await proxy.close();
      await stopServer(server);
    },
  };
}

export async function listen(server: Server | TlsServer, port = 0): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return (server.address() as AddressInfo).port;
}

export async function stopServer(server: Server | TlsServer): Promise<void> {
  server.closeAllConnections();
  await new Promise<void>((resolve) => server.close(() => resolve()));
}

/** Waits for a condition; the suite's time limit is the only clock. */
export async function until<T>(read: () => T | null | undefined | false | Promise<T | null | undefined | false>): Promise<T> {
  for (;;) {
    const value = await read();
    if (value !== null && value !== undefined && value !== false) return value;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
