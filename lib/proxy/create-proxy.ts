import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { AllSessions, type SessionList } from '@/lib/proxy/all-sessions';
import { ambiguityOf } from '@/lib/proxy/ambiguous-request';
import { BodyBudget } from '@/lib/proxy/body-budget';
import {
  type Call,
  DEFAULT_TIMEOUTS,
  type ProxyAlert,
  type ProxyContext,
  type ProxyLog,
  type ProxyTimeouts,
  startCall,
} from '@/lib/proxy/call';
import { Credentials } from '@/lib/proxy/credentials';
import { thinnedSink } from '@/lib/proxy/flight-recorder';
import { handleDelete } from '@/lib/proxy/handle-delete';
import { forwardPlainly, handleGet } from '@/lib/proxy/handle-get';
import { handlePost, isGoneOrUnknown, refuseGone, settle } from '@/lib/proxy/handle-post';
import { beatHearts, watchClient } from '@/lib/proxy/liveness';
import { type SessionLogStore, whenReady } from '@/lib/proxy/log-store';
import type { HeldMemory } from '@/lib/proxy/memory-bound';
import { LOOPBACK_HOSTS, refuseForeignOrigin } from '@/lib/proxy/origin-guard';
import { sendError } from '@/lib/proxy/refusal';
import type { Foretold } from '@/lib/proxy/refusal-breaker';
import type { ProxyRoute, RouteMode } from '@/lib/proxy/route';
import { LOOK_EVERY_MS, RouteRuntime } from '@/lib/proxy/route-runtime';
import { type RouteStatus, routeStatus, type SessionStatus, sessionStatuses } from '@/lib/proxy/route-status';
import { SessionTracker } from '@/lib/proxy/session-tracker';
import { Telemetry, type TelemetrySink } from '@/lib/proxy/telemetry';
import { type UpstreamWord, UpstreamWords } from '@/lib/proxy/upstream-words';
import { serveWellKnown, wellKnownTarget } from '@/lib/proxy/well-known';

export interface ProxyOptions {
  readonly routes: readonly ProxyRoute[];
  readonly store: SessionLogStore;
  /** The installation's secret: keys every hash. The same on every replica. */
  readonly secret: string;
  readonly sink: TelemetrySink;
  readonly log: ProxyLog;
  readonly clock?: () => number;
  /** Name of this process in telemetry. */
  readonly node?: string;
  /** Host names that browsers may reach the proxy by; default: loopback only. Null checks none. */
  readonly allowedHosts?: readonly string[] | null;
  readonly allowedOrigins?: readonly string[];
  readonly timeouts?: Partial<ProxyTimeouts>;
  /** How the intake names a session of a server; absent where no telemetry of upstreams can be heard. */
  readonly refOf?: (server: string, token: string) => string;
  /** Enforcement switched itself off on a route. */
  readonly onAlert?: (alert: ProxyAlert) => void;
}

export interface EnforcingProxy {
  /** Handles `ANY /proxy/{route}`; `rest` is the path after the route, `''` or `/` for the endpoint itself, with the query. */
  handle(req: IncomingMessage, res: ServerResponse, routeName: string, rest: string): void;
  /** Serves OAuth metadata at `/.well-known/…/proxy/{route}`; false when the path is none of that. */
  handleWellKnown(req: IncomingMessage, res: ServerResponse, path: string): boolean;
  routes(): RouteStatus[];
  /** Switches a route at run time, by default with the share of `canary` as it is; false when there is no such route. */
  setMode(route: string, mode: RouteMode, canaryPercent?: number): boolean;
  /** Live sessions of a route that this process served; null when there is no such route. */
  sessions(route: string, limit: number): Promise<SessionStatus[] | null>;
  /** The same of every process that shares the store. Rejects with `StoreUnavailable` when they cannot be asked. */
  allSessions(route: string, limit: number): Promise<SessionList | null>;
  /** Ends a session by its ref, whichever process serves it: later requests of it get 404. False when none knows it. */
  endSession(route: string, ref: string): Promise<boolean>;
  /** What a route's stored days in shadow say of refusals to come, the yardstick of its breaker. */
  foretell(route: string, foretold: Foretold): void;
  /** What this process holds of session logs. */
  memoryHeld(): HeldMemory;
  /** What the stored telemetry of a server says of its numberings, for the routes that name it. */
  hear(server: string, words: readonly UpstreamWord[]): void;
  /** Ends every stream, hands on the last telemetry and closes the store. */
  close(): Promise<void>;
}

/** Bytes of request bodies that are gathered at a time, over all routes. */
const BODIES_BYTES_MAX = 64 * 1024 * 1024;
/** Of unfinished events, over all streams: one that finds no room goes on to its client and is a hole of the log. */
const UNFINISHED_BYTES_MAX = 128 * 1024 * 1024;

const METADATA_METHODS: readonly string[] = ['GET', 'HEAD', 'OPTIONS'];

/** The enforcing proxy. It reaches the configured upstreams and nothing else. */
export function createProxy(options: ProxyOptions): EnforcingProxy {
  const clock = options.clock ?? Date.now;
  const node = options.node ?? `proxy-${randomBytes(4).toString('hex')}`;
  let connections = 0;
  const credentials = new Credentials(options.secret);
  const plans = new Map(options.routes.map((route) => [route.name, route]));
  const sink = thinnedSink(options.sink, {
    of: (server) => plans.get(server)?.telemetry ?? 'everything',
    isSampled: (server, session) =>
      credentials.bucket(credentials.sessionKey(server, session)) < (plans.get(server)?.telemetryPercent ?? 0),
  });
  const telemetry = new Telemetry(sink, clock, node, (error) => options.log('error', 'telemetry sink failed', { error: String(error) }));
  const ctx: ProxyContext = {
    store: options.store,
    credentials,
    telemetry,
    sessions: new SessionTracker(options.store),
    bodies: new BodyBudget(BODIES_BYTES_MAX),
    unfinished: new BodyBudget(UNFINISHED_BYTES_MAX),
    clock,
    log: options.log,
    node,
    timeouts: { ...DEFAULT_TIMEOUTS, ...options.timeouts },
    origins: {
      allowedHosts: options.allowedHosts === undefined ? LOOPBACK_HOSTS : options.allowedHosts,
      allowedOrigins: options.allowedOrigins ?? [],
    },
    onAlert: options.onAlert ?? (() => undefined),
    nextConn: () => `${node}-${++connections}`,
  };
  const onRestart = (runtime: RouteRuntime) => {
    options.log('warn', 'upstream came back: its sessions are of an earlier generation', { route: runtime.route.name });
    telemetry.add({ type: 'boot', server: runtime.route.name, generation: `${node}.${runtime.incarnation}` });
  };
  const onLost = (runtime: RouteRuntime) => {
    ctx.sessions
      .lost({ ctx, route: runtime })
      .catch((error: unknown) => options.log('error', 'session log store failed', { error: String(error) }));
  };
  const onGone = (runtime: RouteRuntime) => {
    options.log('warn', 'nobody listens at the upstream: its sessions end with its process', { route: runtime.route.name });
    onLost(runtime);
  };
  const onDoubt = (runtime: RouteRuntime) => {
    options.log('warn', 'every stream of the upstream was cut at once: its sessions may be of another process', {
      route: runtime.route.name,
    });
    onLost(runtime);
  };
  const hooks = { onRestart, onGone, onDoubt };
  const wordsOf = ({ server }: ProxyRoute): UpstreamWords | null => {
    const { refOf } = options;
    return server === null || refOf === undefined ? null : new UpstreamWords((token) => refOf(server, token));
  };
  const routes = new Map(options.routes.map((route) => [route.name, new RouteRuntime(route, hooks, wordsOf(route))]));
  const { followUpstream } = options.store;
  for (const runtime of routes.values()) {
    const upstream = credentials.upstreamKey(runtime.route.name, runtime.route.upstream);
    if (followUpstream !== null) runtime.share((onChange) => followUpstream.call(options.store, upstream, onChange));
  }
  const looking = setInterval(() => {
    for (const route of routes.values()) route.lookAfter();
  }, LOOK_EVERY_MS);
  looking.unref();
  const hearts = [...routes.values()].map(beatHearts);
  options.store.onRelease((key, stream) => {
    for (const route of routes.values()) {
      const leg = route.legOf(key, stream);
      if (leg !== null && leg.client === null) leg.destroy();
    }
  });
  const sessions = async (name: string, limit: number) => {
    const route = routes.get(name);
    return route === undefined ? null : sessionStatuses(ctx, route, limit);
  };
  const all = new AllSessions({ list: sessions, end: (name, ref) => endSession(ctx, routes.get(name), ref) }, options.store.peers);
  return {
    handle: (req, res, routeName, rest) => handleRequest(ctx, routes.get(routeName) ?? null, req, res, rest),
    handleWellKnown: (req, res, path) => {
      const target = wellKnownTarget(path);
      const route = target === null ? undefined : routes.get(target.route);
      if (target === null || route === undefined) return false;
      if (isFromElsewhere(ctx, req, res)) return true;
      if (METADATA_METHODS.includes(req.method ?? '')) serveWellKnown(route, target.document, req, res);
      else sendError(res.setHeader('allow', METADATA_METHODS), 405, 'method_not_allowed', 'metadata can only be read', 'use GET');
      return true;
    },
    routes: () => [...routes.values()].map(routeStatus),
    setMode: (name, mode, canaryPercent) => switchMode(ctx, routes.get(name), mode, canaryPercent),
    sessions,
    allSessions: (name, limit) => all.list(name, limit),
    endSession: (name, ref) => all.end(name, ref),
    foretell: (name, foretold) => routes.get(name)?.breaker.foretell(foretold),
    memoryHeld: () => options.store.memoryHeld,
    hear: (server, words) => {
      for (const { route, words: own } of routes.values()) if (route.server === server) for (const word of words) own?.hear(word);
    },
    close: async () => {
      clearInterval(looking);
      for (const stop of hearts) stop();
      for (const route of routes.values()) {
        for (const leg of route.allLegs()) leg.destroy();
        route.agent.destroy();
      }
      telemetry.close();
      await options.store.close();
    },
  };
}

function switchMode(ctx: ProxyContext, route: RouteRuntime | undefined, mode: RouteMode, canaryPercent?: number): boolean {
  if (route === undefined) return false;
  const percent = canaryPercent ?? route.canaryPercent;
  ctx.log('info', 'route mode changed', { route: route.route.name, from: route.mode, to: mode, canary_percent: percent });
  route.mode = mode;
  route.canaryPercent = percent;
  route.breaker.reset();
  return true;
}

async function endSession(ctx: ProxyContext, route: RouteRuntime | undefined, ref: string): Promise<boolean> {
  const token = route === undefined ? null : ctx.sessions.tokenOn(route.route.name, ref);
  if (route === undefined || token === null) return false;
  const log = await ctx.store.find(ref);
  // Another process that serves it was asked first: what is left here is let go of.
  if (log === null || log.state !== 'live') ctx.sessions.forget(route, ref);
  else await ctx.sessions.gone({ ctx, route }, ref, token, 'ended');
  return log !== null;
}

/** Refuses what a browser sends on behalf of a page that may not use the proxy, and says so. */
function isFromElsewhere(ctx: ProxyContext, req: IncomingMessage, res: ServerResponse): boolean {
  const refusal = refuseForeignOrigin(req.headers, ctx.origins);
  if (refusal !== null) sendError(res, refusal.status, refusal.code, refusal.message);
  return refusal !== null;
}

function handleRequest(ctx: ProxyContext, route: RouteRuntime | null, req: IncomingMessage, res: ServerResponse, rest: string): void {
  const search = rest.includes('?') ? rest.slice(rest.indexOf('?')) : '';
  const path = search === '' ? rest : rest.slice(0, -search.length);
  if (route === null || (path !== '' && path !== '/')) {
    sendError(res, 404, 'route_not_found', 'no such proxy route', 'use /proxy/{route} with a configured route');
    return;
  }
  const ambiguity = ambiguityOf(req.rawHeaders, route.route.credentialHeaders);
  if (ambiguity !== null) {
    // Whoever stands before this proxy may have read it the other way: nothing more is taken from this connection.
    sendError(res.setHeader('connection', 'close'), 400, 'ambiguous_request', ambiguity.message, ambiguity.nextStep);
    return;
  }
  if (isFromElsewhere(ctx, req, res)) return;
  route.counts.requests++;
  res.on('error', () => undefined);
  const call = startCall(ctx, route, req, res, search);
  dispatch(call);
}

function dispatch(call: Call): void {
  switch (call.req.method) {
    case 'POST':
      handlePost(call);
      return;
    case 'GET':
      watchClient(call);
      handleGet(call);
      return;
    case 'DELETE': {
      const { key } = call;
      if (key === null || !call.enforces) handleDelete(call);
      else
        settle(
          call,
          whenReady(isGoneOrUnknown(call, key), (isGone) => (isGone ? refuseGone(call) : handleDelete(call))),
        );
      return;
    }
    default:
      forwardPlainly(call);
  }
}
