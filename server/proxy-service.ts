import { createHmac, randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import type { Config } from '@/lib/config/config';
import type { Signal } from '@/lib/delivery/signal-queue';
import type { ProxyAlert } from '@/lib/proxy/call';
import { createProxy, type EnforcingProxy } from '@/lib/proxy/create-proxy';
import { intakeSink } from '@/lib/proxy/intake-sink';
import type { SessionLogStore } from '@/lib/proxy/log-store';
import { MEMORY_LIMITS, MemoryLogStore } from '@/lib/proxy/memory-log-store';
import { LOOPBACK_HOSTS } from '@/lib/proxy/origin-guard';
import { RedisLogStore } from '@/lib/proxy/redis/redis-log-store';
import { type ProxyRoute, ROUTE_DEFAULTS, type RouteMode } from '@/lib/proxy/route';
import type { ProxyModes } from '@/lib/store/proxy-modes';
import type { TelemetryRecord } from '@/lib/wire/schema';
import { foretellRates } from '@/server/foretold-rates';
import { followModes, type KeptModes } from '@/server/kept-modes';
import type { Level } from '@/server/log';
import type { ServiceParts } from '@/server/services';
import { leaveUntold, takeUntold } from '@/server/untold-losses';
import { type FollowedWords, followWords } from '@/server/upstream-words';

export interface ProxyService {
  readonly proxy: EnforcingProxy;
  /** Keeps a switch of a mode for restarts and replicas; without a database it lasts as long as the process. */
  readonly keepMode: KeptModes['keep'];
  /** Settles when sessions can be logged, or after a while where they cannot yet: what is served before is in doubt later. */
  readonly ready: Promise<void>;
  /** Ends every stream and hands on the last telemetry. */
  readonly close: () => Promise<void>;
}

export interface ProxyDeps {
  readonly secret: Uint8Array;
  /** The intake; null where no database is: the proxy enforces and reports nothing. */
  readonly submit: ((records: readonly TelemetryRecord[]) => Promise<unknown>) | null;
  readonly log: (level: Level, message: string, fields?: Readonly<Record<string, unknown>>) => void;
  /** Where what is given up at the end is left for the next process to say; absent where nothing is reported. */
  readonly untoldFile?: string;
  /** Tells people that the proxy stopped enforcing on a route. */
  readonly raise?: (signal: Signal) => void;
  /** Where switched modes are kept; absent where no database is. */
  readonly modes?: ProxyModes;
  /**
   * The stored telemetry of upstreams and of the proxy's own days in shadow; absent where no database is, and then what upstreams tell
   * of themselves is not heard, and breakers go by what this process saw.
   */
  readonly stored?: Pick<ServiceParts, 'storedWords' | 'onStored' | 'refOf' | 'shadowCounts' | 'watchProxy'>;
}

type ProxyConfig = Pick<Config, 'proxyHosts' | 'proxyOrigins' | 'redisUrl' | 'auth'> & {
  readonly proxyMemoryBytes?: number;
  readonly routes: readonly ProxyRoute[];
  readonly alerts: Pick<Config['alerts'], 'publicUrl'>;
};

/** Where authentication is on, the proxy may stand behind names that only the configuration can tell. */
function ownHosts({ auth, proxyHosts, alerts }: ProxyConfig): readonly string[] | null {
  const told = alerts.publicUrl === null ? proxyHosts : [...proxyHosts, new URL(alerts.publicUrl).hostname];
  return told.length === 0 && auth === 'on' ? null : [...LOOPBACK_HOSTS, ...told];
}

/** Opens the enforcing proxy as the configuration asks, with its session logs in memory or in Redis. */
export function openProxy(config: ProxyConfig, deps: ProxyDeps): ProxyService {
  // In a container every start may have the name and number of the one before, which is another process all the same.
  const node = `${hostname()}-${process.pid}-${randomBytes(2).toString('hex')}`;
  const { untoldFile } = deps;
  const untold = untoldFile === undefined ? undefined : takeUntold(untoldFile, deps.log);
  const intake = intakeSink(deps.submit ?? (async () => undefined), deps.log, {}, untold);
  const store = openStore(config, node, deps);
  const proxy = createProxy({
    routes: config.routes,
    store,
    secret: Buffer.from(deps.secret).toString('base64'),
    sink: intake.sink,
    log: deps.log,
    onAlert: (alert) => {
      deps.raise?.(breakerSignal(alert));
      const { route, from } = alert;
      const canaryPercent = proxy.routes().find(({ name }) => name === route)?.canaryPercent ?? 0;
      const setting = (mode: RouteMode) => ({ mode, canaryPercent });
      keepMode({ route, from: setting(from), to: setting('shadow'), actor: 'system', action: 'proxy.breaker_tripped' }).catch(
        (cause: unknown) => deps.log('error', 'the route is in shadow, but that could not be kept', { cause, route }),
      );
    },
    node,
    ...(deps.stored === undefined ? {} : { refOf: deps.stored.refOf }),
    allowedHosts: ownHosts(config),
    allowedOrigins: config.proxyOrigins,
  });
  deps.stored?.watchProxy(() => proxy.memoryHeld());
  const kept = deps.modes === undefined ? null : followModes({ proxy, modes: deps.modes, now: Date.now, log: deps.log });
  const words = hearUpstreams(config, proxy, deps);
  const { log, stored } = deps;
  const rates = stored === undefined ? null : foretellRates({ proxy, shadowCounts: stored.shadowCounts, log });
  const keepMode: KeptModes['keep'] = async (change) => {
    await kept?.keep(change);
    rates?.wake();
  };
  return {
    proxy,
    keepMode,
    ready: Promise.race([store.ready().catch(() => undefined), setTimeout(READY_MS_MAX, undefined, { ref: false })]),
    close: async () => {
      await Promise.all([kept?.close(), words?.close(), rates?.close()]);
      await proxy.close();
      const left = await intake.drain();
      if (untoldFile !== undefined) leaveUntold(untoldFile, left, deps.log);
    },
  };
}

/** Has routes that name a server hear of it; null where none does, or nothing can be heard. */
function hearUpstreams(config: Pick<ProxyConfig, 'routes'>, proxy: EnforcingProxy, { stored, log }: ProxyDeps): FollowedWords | null {
  const named = config.routes.flatMap(({ server }) => server ?? []);
  if (named.length === 0) return null;
  if (stored === undefined) {
    log('warn', 'routes name servers whose telemetry cannot be heard here: DATABASE_URL is not set', { servers: named.join(' ') });
    return null;
  }
  const words = followWords({ proxy, words: stored.storedWords, servers: [...new Set(named)], log });
  stored.onStored(words.wake);
  return words;
}

function openStore(
  config: Pick<ProxyConfig, 'routes' | 'redisUrl' | 'proxyMemoryBytes'>,
  node: string,
  { log, secret }: ProxyDeps,
): SessionLogStore {
  if (config.redisUrl === null)
    return new MemoryLogStore(Date.now, { ...MEMORY_LIMITS, bytes: config.proxyMemoryBytes ?? MEMORY_LIMITS.bytes });
  const buffers = config.routes.map((route) => route.buffer);
  const largest = (read: (buffer: (typeof buffers)[number]) => number, least: number) => Math.max(least, ...buffers.map(read));
  const { events, bytes, ttlMs } = ROUTE_DEFAULTS.buffer;
  let lastError = 0;
  return new RedisLogStore({
    url: config.redisUrl,
    node,
    group: createHmac('sha256', secret).update('replicas').digest('hex').slice(0, 16),
    clock: Date.now,
    memoryBytes: config.proxyMemoryBytes ?? MEMORY_LIMITS.bytes,
    retention: {
      events: largest((one) => one.events, events),
      bytes: largest((one) => one.bytes, bytes),
      ttlMs: largest((one) => one.ttlMs, ttlMs),
      sessionBytes: largest((one) => one.sessionBytes ?? 0, 4 * bytes),
    },
    onError: (error) => {
      // A Redis that is down fails every few hundred milliseconds; a line every ten seconds says as much.
      if (Date.now() - lastError < 10_000) return;
      lastError = Date.now();
      log('error', 'the session log store cannot be reached', { error: error.message });
    },
  });
}

/** A start waits no longer for Redis. */
const READY_MS_MAX = 5_000;

const BREAKER_WORDS: Readonly<Record<ProxyAlert['kind'], string>> = {
  advancing_cursor: 'one client made progress and was refused again and again',
  refusal_rate: 'far more attempts were refused than shadow mode predicted',
};

const breakerSignal = ({ route, kind, refused, attempts }: ProxyAlert): Signal => ({
  code: 'proxy_breaker',
  server: route,
  reason: kind,
  detail: `Route ${route} is in shadow now: ${BREAKER_WORDS[kind]}; ${refused} of ${attempts} attempts in the last minute were refused.`,
});
