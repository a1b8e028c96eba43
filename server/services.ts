import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { DatabaseAddress } from '@/db/connect';
import { migrateDatabase } from '@/db/migrate';
import { DatabasePools } from '@/db/pools';
import type { OidcConfig, ReplayTarget } from '@/lib/config/config';
import type { Retention } from '@/lib/config/retention';
import { Loop } from '@/lib/delivery/loop';
import type { Signal } from '@/lib/delivery/signal-queue';
import type { Guard } from '@/lib/http/caller';
import { guardLoopback } from '@/lib/http/host-guard';
import { guardByKey } from '@/lib/http/key-guard';
import type { ConfiguredKey, KeyRing } from '@/lib/http/key-ring';
import { withoutTokens } from '@/lib/http/link-token';
import { guardByMemberOrKey } from '@/lib/http/member-guard';
import type { Route } from '@/lib/http/route';
import { Router } from '@/lib/http/router';
import { Intake } from '@/lib/intake/intake';
import { TelemetrySockets } from '@/lib/intake/telemetry-sockets';
import type { HeldMemory } from '@/lib/proxy/memory-bound';
import { queryShadowCounts } from '@/lib/query/shadow-counts';
import type { Reason } from '@/lib/resume/types';
import { type Change, logChangeAlone } from '@/lib/store/change-log';
import { ProjectStore } from '@/lib/store/projects';
import { ProxyModes } from '@/lib/store/proxy-modes';
import { RecordStore } from '@/lib/store/record-store';
import { RollupFold } from '@/lib/store/rollup-fold';
import { claimSecret } from '@/lib/store/secret-fingerprint';
import { SessionRefs } from '@/lib/store/session-ref';
import { StoredWords } from '@/lib/store/stored-words';
import { UnfoldedIncrements } from '@/lib/store/unfolded-increments';
import { type Access, openAccess } from '@/server/access/access';
import { signInPathFor } from '@/server/access/page-gate';
import { hasSignInCookie } from '@/server/access/sign-in-library';
import { openAccessKeys } from '@/server/access-keys';
import { type AlertingConfig, openAlerting } from '@/server/alerting';
import { annotationRoutes } from '@/server/api/annotation-routes';
import { attemptRoutes } from '@/server/api/attempt-routes';
import { auditRoute } from '@/server/api/audit-route';
import { changeRoutes } from '@/server/api/change-routes';
import { findingRoutes } from '@/server/api/finding-routes';
import { healthRoutes } from '@/server/api/health-routes';
import { joinRoutes } from '@/server/api/join-routes';
import { keyRoutes } from '@/server/api/key-routes';
import { meRoutes } from '@/server/api/me-routes';
import { memberRoutes } from '@/server/api/member-routes';
import { metricsRoute } from '@/server/api/metrics-route';
import { openApiRoute } from '@/server/api/openapi-route';
import { otlpRoutes } from '@/server/api/otlp-routes';
import { projectRoutes } from '@/server/api/project-routes';
import { providerRoutes } from '@/server/api/provider-routes';
import { retentionRoutes } from '@/server/api/retention-routes';
import { seriesRoute } from '@/server/api/series-route';
import { serverRoutes } from '@/server/api/servers-route';
import { sessionRoutes } from '@/server/api/session-routes';
import { shareRoutes } from '@/server/api/share-routes';
import { sharedRoutes } from '@/server/api/shared-routes';
import { signInRoutes } from '@/server/api/sign-in-routes';
import { summaryRoutes } from '@/server/api/summary-routes';
import { telemetryRoute } from '@/server/api/telemetry-route';
import { verdictRoute } from '@/server/api/verdict-route';
import { webSocketRoutes } from '@/server/api/web-socket-routes';
import { startAuditor } from '@/server/auditor';
import type { AuditorSettings } from '@/server/auditor-messages';
import { codedError, codedRefusal, refusalOfFrame } from '@/server/coded-error';
import { openIncidents } from '@/server/incidents';
import { openLiveFeed } from '@/server/live-feed';
import { Metrics } from '@/server/metrics';
import { openRetention } from '@/server/retention';
import { Upgrades } from '@/server/upgrades';

/** What the services need to know. */
export interface ServicesConfig {
  readonly database: DatabaseAddress;
  /** Key of the hash that session tokens are stored as; it belongs to the database. */
  readonly secret: Uint8Array;
  /** Whether callers must sign in or have a key; without, only this machine's own programs and pages may call. */
  readonly auth: 'off' | 'on';
  /** Where people reach the product, without a slash at its end. */
  readonly baseUrl?: string;
  /** Keys of the configuration file, beside those made through the API. */
  readonly keys?: readonly ConfiguredKey[];
  /** Where recorded incidents may be done again; without, nowhere. */
  readonly replayTargets?: readonly ReplayTarget[];
  /** A provider of OpenID Connect that people may sign in by. */
  readonly oidc?: OidcConfig | null;
  /** Of the configuration file; without, the settings say how long rows are kept. */
  readonly retention?: Retention | null;
  /** Milliseconds that a sender may take for a body, 60,000 unless given. */
  readonly bodyMs?: number;
  /** Milliseconds after which an answer of which nothing is taken is given up, 120,000 unless given. */
  readonly answerMs?: number;
  /** How the stored records are audited as they come; without, they wait. */
  readonly audit?: Partial<Omit<AuditorSettings, 'database' | 'secret'>>;
  /** What the configuration file sets up for alerting, and where people reach the product; without, no rule is evaluated. */
  readonly alerts?: { readonly config: AlertingConfig; readonly baseUrl: string };
}

/** What the services are given by the process that runs them. */
export interface ServicesDeps {
  readonly log: (level: 'info' | 'warn' | 'error', message: string, fields?: Readonly<Record<string, unknown>>) => void;
  readonly now?: () => number;
  /** Version that the OpenAPI document names. */
  readonly version?: string;
  /** Routes of other parts, mounted beside our own. */
  readonly routes?: (services: ServiceParts) => readonly Route[];
  /** Folder of the migrations, where the code was bundled away from it. */
  readonly migrationsFolder?: string;
}

/** Parts that other services build on. */
export interface ServiceParts {
  readonly intake: Intake;
  /** Raises an alert that no record shows; without alerting it is dropped. Never throws, never waits. */
  readonly raise: (signal: Signal) => void;
  /** Exports what the proxy holds in memory. */
  readonly watchProxy: (held: () => HeldMemory) => void;
  /** Appends to the change log what no transaction makes; what one does is appended in it, by `logChange`. */
  readonly noteChange: (change: Omit<Change, 'atMs'>) => Promise<void>;
  /** Modes of proxy routes that were switched at run time. */
  readonly proxyModes: ProxyModes;
  /** What the rules said of a proxy route's stored attempts while it was in shadow, by reason; `mode` is its mode now. */
  readonly shadowCounts: (route: string, mode: string) => Promise<ReadonlyMap<Reason, number>>;
  /** What servers told of their numberings, as it is stored. */
  readonly storedWords: StoredWords;
  /** Calls back when something was stored, by whichever process. */
  readonly onStored: (listener: () => void) => void;
  /** How the intake names a session of a server. */
  readonly refOf: (server: string, token: string) => string;
}

export interface Services extends ServiceParts {
  /** Answers a request that is ours and says so; false leaves it to the renderer. Never rejects. */
  readonly handle: (request: IncomingMessage, response: ServerResponse) => Promise<boolean>;
  /** Where the request for a page is sent instead, since nobody signed in; null lets it pass. */
  readonly signInPathFor: (request: IncomingMessage) => Promise<string | null>;
  /** Takes an upgrade that is ours and says so; false leaves it to the caller, who must refuse it. */
  readonly upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => boolean;
  /** Stores what was taken and closes the database; new intake is refused from the first moment. */
  readonly close: () => Promise<void>;
}

/** How the audit goes unless it is told otherwise. */
const AUDIT = { settleMs: 60_000, sessionsMax: 10_000, pageRecords: 5_000, checkpointMs: 5_000 };
const WRITE_CONNECTIONS = 3;
const READ_CONNECTIONS = 4;
/** For settings and for what removes rows, so that neither waits for intake nor the other way round. */
const UPKEEP_CONNECTIONS = 2;
const LEFTOVERS_EVERY_MS = 10_000;
const OURS = /^\/(?:api|v1|proxy)(?:\/|$|\?)|^\/(?:healthz|readyz|metrics)(?:$|\?)/;

/** Brings the database up to date and opens everything that answers without rendering a page. */
export async function openServices(config: ServicesConfig, deps: ServicesDeps): Promise<Services> {
  const now = deps.now ?? Date.now;
  await migrateDatabase(config.database, deps.migrationsFolder);
  const pools = new DatabasePools(config.database);
  const writes = pools.statements(WRITE_CONNECTIONS, 'names');
  const reads = pools.statements(READ_CONNECTIONS, 'queries');
  const transactions = pools.transactions(WRITE_CONNECTIONS, 'intake');
  await claimSecret(writes, config.secret);
  const unfolded = new UnfoldedIncrements();
  const store = new RecordStore(writes, transactions, unfolded);
  const upkeep = pools.transactions(UPKEEP_CONNECTIONS, 'upkeep');
  const retention = await openRetention({
    sql: writes,
    transactions: upkeep,
    configured: config.retention ?? null,
    now,
    prepareDays: (nowMs) => store.prepareDays(nowMs),
    log: deps.log,
  });
  const metrics = new Metrics();
  const rollups = new RollupFold(transactions, unfolded, {
    onTrouble: (cause) => deps.log('warn', 'rollups could not be folded yet', { cause }),
    onSetAside: ({ seq, cause }) => {
      metrics.countSetAside();
      deps.log('error', 'what some records add to the rollups was set aside', {
        code: 'rollup_set_aside',
        seq,
        cause,
        next_step: 'report it; the records are stored, counts lack them until a version that can fold them starts',
      });
    },
  });
  await rollups.takeBack();
  const refs = new SessionRefs(config.secret);
  const intake = new Intake({
    store: async (records, batches) => {
      const outcome = await store.store(records, batches);
      // A batch without a new record tells nobody else of itself.
      if (batches.length > 0) rollups.schedule();
      return outcome;
    },
    sessionRef: (server, token) => refs.refOf(server, token),
    now,
    oldestMs: () => retention.oldestMs(),
    onStored: (records) => {
      rollups.schedule();
      alerting?.wake();
      incidents.noteStored(records);
      auditor?.wake();
      metrics.countStored(records);
    },
  });
  metrics.watch(intake);
  const sockets = new TelemetrySockets({
    submit: (batch, origin, sender) => intake.submitBatch(batch, origin, sender),
    refusalOfFrame,
    refusalOfCause: (cause) => codedRefusal(cause, () => deps.log('error', 'unexpected error', { cause, url: '/api/v1/telemetry/ws' })),
    now,
  });
  const alerting =
    config.alerts === undefined
      ? null
      : openAlerting({ ...config, ...config.alerts, pools, now, log: deps.log, metrics: metrics.registry });
  const raise = (signal: Signal): void => alerting?.raise(signal);
  const keys = await openAccessKeys({
    sql: writes,
    transactions: upkeep,
    secret: config.secret,
    configured: config.keys ?? [],
    now,
    log: deps.log,
  });
  const access = await openAccess({
    ...config,
    sql: writes,
    transactions: upkeep,
    baseUrl: config.baseUrl ?? 'http://127.0.0.1',
    oidc: config.oidc ?? null,
    now,
    log: deps.log,
  });
  const proxyModes = new ProxyModes(writes, transactions);
  // A process that died may have left increments that nobody else would fold before somebody asks.
  const leftovers = new Loop({
    run: async () => rollups.schedule(),
    intervalMs: LEFTOVERS_EVERY_MS,
    spacingMs: LEFTOVERS_EVERY_MS,
    onError: () => undefined,
  });
  const storedListeners: (() => void)[] = [];
  const live = await openLiveFeed({
    database: config.database,
    sql: reads,
    onKeysChanged: () => {
      store.forgetServers();
      void keys.reload().catch(() => undefined);
    },
    onStored: () => {
      for (const listener of storedListeners) listener();
    },
    // Whoever waits is told; their connections would be held for as long as the silence lasts.
    onSilence: () => pools.giveUp(),
    log: deps.log,
  });
  const noteChange = (change: Omit<Change, 'atMs'>) => logChangeAlone(writes, { ...change, atMs: now() });
  const incidents = openIncidents({ ...config, pools, now, settled: () => rollups.settle(), log: deps.log });
  const auditor =
    config.audit === undefined
      ? null
      : startAuditor({
          settings: { ...AUDIT, ...config.audit, database: config.database, secret: config.secret },
          log: deps.log,
          metrics: metrics.registry,
          onChange: () => {
            rollups.schedule();
            alerting?.wake();
          },
        });
  // Readers of rollups see everything that was acknowledged before they asked.
  const settled = () => rollups.settle();
  const parts: ServiceParts = {
    intake,
    raise,
    watchProxy: (held) => metrics.watchProxy(held),
    noteChange,
    proxyModes,
    shadowCounts: async (route, mode) => {
      await settled();
      return queryShadowCounts(reads, { route, mode }, now());
    },
    storedWords: new StoredWords(reads, now),
    onStored: (listener) => void storedListeners.push(listener),
    refOf: (server, token) => refs.refOf(server, token),
  };
  const routes: Route[] = [
    verdictRoute,
    auditRoute(incidents.pool),
    telemetryRoute(intake),
    ...otlpRoutes(intake),
    ...attemptRoutes(reads),
    ...findingRoutes(reads),
    ...summaryRoutes(reads, now, settled),
    seriesRoute(reads, now, settled),
    ...annotationRoutes({ sql: reads, now, settled, noteChange: (change) => logChangeAlone(writes, change) }),
    ...serverRoutes(reads, now, settled),
    ...sessionRoutes(reads, incidents.pool, settled),
    ...healthRoutes(reads, intake),
    metricsRoute(metrics),
    ...webSocketRoutes,
    ...incidents.routes,
    ...(alerting?.routes ?? []),
    ...keyRoutes(reads, keys, now),
    ...projectRoutes({ sql: reads, projects: new ProjectStore(upkeep), now, onMoved: () => store.forgetServers() }),
    ...signInRoutes(access),
    ...providerRoutes(access),
    ...joinRoutes(access),
    ...meRoutes(access),
    ...memberRoutes(access),
    ...shareRoutes(access),
    ...sharedRoutes(access, incidents.pool),
    ...changeRoutes(reads),
    ...retentionRoutes(upkeep, retention, now),
    ...(deps.routes?.(parts) ?? []),
  ];
  const guard = config.auth === 'off' ? guardLoopback : guardOf(access, keys.ring);
  const onUnexpected = (cause: unknown, request: IncomingMessage) =>
    deps.log('error', 'unexpected error', { cause, method: request.method, url: withoutTokens(request.url ?? '') });
  const upgrades = new Upgrades({ guard, live, sockets, onUnexpected });
  keys.onRead(() => upgrades.readmitKeys());
  const router = new Router({
    routes: [...routes, openApiRoute(routes, deps.version ?? 'development')],
    guard,
    codedError,
    ...(config.bodyMs === undefined ? {} : { bodyMsMax: config.bodyMs }),
    ...(config.answerMs === undefined ? {} : { answerMsMax: config.answerMs }),
    onUnexpected,
    onAnswer: (route, status) => metrics.countAnswer(route, status),
  });
  return {
    ...parts,
    handle: async (request, response) => {
      if (!OURS.test(request.url ?? '')) return false;
      await router.handle(request, response);
      return true;
    },
    signInPathFor: async (request) => (config.auth === 'off' ? null : signInPathFor(request, access.memberOf)),
    upgrade: (request, socket, head) => {
      if (!OURS.test(request.url ?? '')) return false;
      upgrades.accept(request, socket, head);
      return true;
    },
    close: async () => {
      const gone = live.close();
      // Both from this moment on: no frame is taken any more, and what was taken is committed and acknowledged.
      await Promise.all([sockets.close(), intake.close(), gone]);
      await Promise.all([alerting?.close(), auditor?.close(), keys.close(), retention.close(), access.close()]);
      await incidents.close();
      await leftovers.close();
      await rollups.close().catch(() => undefined);
      await Promise.all([transactions.close(), upkeep.close(), writes.end({ timeout: 5 }), reads.end({ timeout: 5 })]);
    },
  };
}

function guardOf({ memberOf, baseUrl }: Access, ring: KeyRing): Guard {
  return guardByMemberOrKey({ byKey: guardByKey(ring), hasCookie: hasSignInCookie, memberOf, publicOrigin: new URL(baseUrl).origin });
}
