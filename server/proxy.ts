import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Intake } from '@/lib/intake/intake';
import { createProxy } from '@/lib/proxy/create-proxy';
import { MemoryLogStore } from '@/lib/proxy/memory-log-store';
import { RedisLogStore } from '@/lib/proxy/redis-log-store';
import { type ProxyRoute, ROUTE_DEFAULTS } from '@/lib/proxy/route';
import type { TelemetryRecord } from '@/lib/wire/schema';

type Log = (level: 'info' | 'warn' | 'error', message: string, fields?: Readonly<Record<string, unknown>>) => void;

export interface ProxyConfig {
  readonly routes: readonly ProxyRoute[];
  /** Where session logs are shared by replicas; null keeps them in this process. */
  readonly redisUrl: string | null;
}

interface ProxyParts {
  readonly config: ProxyConfig;
  readonly secret: Uint8Array;
  /** Whether only this machine's own programs and pages may call. */
  readonly isLoopbackOnly: boolean;
  readonly intake: Intake;
  readonly now: () => number;
  readonly log: Log;
}

export interface MountedProxy {
  /** Takes `/proxy/{route}` and the OAuth metadata of a route, and says so; anything else is somebody else's. */
  readonly handle: (request: IncomingMessage, response: ServerResponse) => boolean;
  /** Ends every stream and hands on the last telemetry. */
  readonly close: () => Promise<void>;
}

const PROXY_PATH = /^\/proxy\/([^/?]+)(.*)$/s;

/** The enforcing proxy of the configured routes, in this process, reporting to this process's own intake. */
export function openProxy({ config, secret, isLoopbackOnly, intake, now, log }: ProxyParts): MountedProxy {
  const node = `proxy-${process.pid}`;
  const proxy = createProxy({
    routes: config.routes,
    store: openStore(config.redisUrl, node, now, log),
    secret: Buffer.from(secret).toString('base64'),
    sink: (records) => report(intake, records, log),
    log,
    clock: now,
    node,
    ...(isLoopbackOnly ? {} : { allowedHosts: null }),
    onAlert: (alert) => log('error', 'a refusal storm switched a route to shadow', { ...alert }),
  });
  return {
    handle: (request, response) => {
      const url = request.url ?? '/';
      const match = PROXY_PATH.exec(url);
      if (match === null) return proxy.handleWellKnown(request, response, url);
      proxy.handle(request, response, routeName(match[1] ?? ''), match[2] ?? '');
      return true;
    },
    close: () => proxy.close(),
  };
}

function openStore(redisUrl: string | null, node: string, clock: () => number, log: Log): MemoryLogStore | RedisLogStore {
  if (redisUrl === null) return new MemoryLogStore(clock);
  return new RedisLogStore({
    url: redisUrl,
    node,
    clock,
    retention: ROUTE_DEFAULTS.buffer,
    onError: (cause) => log('warn', 'the session logs in Redis cannot be reached', { cause }),
  });
}

/** Telemetry never holds up the traffic it tells of: what the intake cannot take is counted in the log and gone. */
function report(intake: Intake, records: TelemetryRecord[], log: Log): void {
  intake.submit(records).then(
    ({ rejected }) => {
      if (rejected.length > 0) log('error', 'the intake cannot read records of the proxy', { count: rejected.length, first: rejected[0] });
    },
    (cause: unknown) => log('warn', 'records of the proxy were lost', { count: records.length, cause }),
  );
}

/** An encoding that is none names no route, which is then answered as unknown. */
function routeName(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    // A route's name never holds a percent sign.
    return encoded;
  }
}
