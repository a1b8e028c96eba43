import type { RouteTelemetry } from '@/lib/proxy/flight-recorder';
import type { FloorRule } from '@/lib/resume/types';
import type { Retention } from '@/lib/session-log/stream-log';
import type { PROXY_MODES } from '@/lib/wire/proxy-responses';

export type RouteMode = (typeof PROXY_MODES)[number];

/** One configured upstream. `upstream` is the whole MCP endpoint; nothing else can be reached through a route. */
export interface ProxyRoute {
  readonly name: string;
  readonly upstream: string;
  /** Certificates, as PEM, that an https upstream's own must lead to; null: those that the system trusts. */
  readonly upstreamCa: string | null;
  readonly mode: RouteMode;
  /** Share of sessions, in percent, that `canary` enforces on. */
  readonly canaryPercent: number;
  readonly replay: 'upstream' | 'proxy';
  readonly refusal: 'status' | 'terminal_error' | 'auto';
  readonly floor: FloorRule;
  readonly buffer: Retention;
  /** A client that takes nothing of what waits for it is cut after this long. */
  readonly clientStallMs: number;
  /** An upstream's event stream that is silent for this long is taken for lost; null: never. */
  readonly upstreamSilenceMs: number | null;
  /** A comment is written to a client's event stream that was silent for this long; null: none ever. */
  readonly heartbeatMs: number | null;
  /** Headers whose values say whose a session is, in lower case; `cookie:name` is one cookie. */
  readonly credentialHeaders: readonly string[];
  /** What becomes of a cursor that comes without a session token; `pass` where the upstream resumes without sessions. */
  readonly sessionlessCursors: 'refuse' | 'pass';
  /** Bytes of a POST's body that are taken at most. */
  readonly bodyBytesMax: number;
  /** Response header whose change means that another upstream process answered; null when there is none. */
  readonly instanceHeader: string | null;
  /** Server whose own telemetry says which numbering the upstream has; null when it has none. */
  readonly server: string | null;
  readonly telemetry: RouteTelemetry;
  /** Share of sessions, in percent, that `sampled` tells whole. */
  readonly telemetryPercent: number;
}

/** Defaults of everything but name and upstream. */
export const ROUTE_DEFAULTS: Omit<ProxyRoute, 'name' | 'upstream'> = {
  upstreamCa: null,
  mode: 'shadow',
  canaryPercent: 10,
  replay: 'upstream',
  refusal: 'status',
  floor: 'successor',
  buffer: { events: 1000, bytes: 4 * 1024 * 1024, ttlMs: 10 * 60_000 },
  clientStallMs: 120_000,
  upstreamSilenceMs: null,
  heartbeatMs: null,
  credentialHeaders: ['authorization'],
  sessionlessCursors: 'refuse',
  bodyBytesMax: 64 * 1024 * 1024,
  instanceHeader: null,
  server: null,
  telemetry: 'everything',
  telemetryPercent: 10,
};
