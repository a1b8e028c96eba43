import type { Role } from '@/lib/access/roles';
import type { RuleInput } from '@/lib/alerting/rule';
import type { Scope } from '@/lib/http/caller';
import type { Retention } from './retention';

/** One route of the enforcing proxy, with every default filled in. */
export interface RouteConfig {
  readonly name: string;
  readonly upstream: string;
  /** File with the certificates that an https upstream's own must lead to, and its text once it was read; null: those that the system trusts. */
  readonly upstreamCaFile: string | null;
  readonly upstreamCa: string | null;
  readonly mode: 'shadow' | 'canary' | 'enforce';
  /** Share of sessions, 0 to 100, that a `canary` route enforces. */
  readonly canaryPercent: number;
  readonly replay: 'upstream' | 'proxy';
  readonly refusal: 'status' | 'terminal_error' | 'auto';
  readonly floor: 'successor' | 'retained';
  readonly buffer: { readonly events: number; readonly bytes: number; readonly ttlMs: number; readonly sessionBytes: number };
  /** A client that takes nothing of what waits for it is cut after this long. */
  readonly clientStallMs: number;
  /** An upstream's event stream that is silent for this long is taken for lost; null: never. */
  readonly upstreamSilenceMs: number | null;
  /** A comment is written to a client's event stream that was silent for this long; null: none ever. */
  readonly heartbeatMs: number | null;
  /** Headers whose values say whose a session is, in lower case; `cookie:name` is one cookie. */
  readonly credentialHeaders: readonly string[];
  /** What becomes of a cursor that comes without a session token. */
  readonly sessionlessCursors: 'refuse' | 'pass';
  /** Bytes of a POST's body that are taken at most. */
  readonly bodyBytesMax: number;
  /** Response header that names the upstream's process; null when it sends none. */
  readonly instanceHeader: string | null;
  /** Server whose own telemetry says which numbering the upstream has; null when none does. */
  readonly server: string | null;
  readonly telemetry: 'everything' | 'flight' | 'sampled';
  /** Share of sessions, in percent, that `sampled` tells whole. */
  readonly telemetryPercent: number;
}

export interface ChannelConfig {
  readonly name: string;
  readonly type: 'webhook' | 'pagerduty' | 'slack' | 'alertmanager' | 'email';
  readonly url: string;
  readonly secret: string | null;
}

/** A provider of OpenID Connect that people may sign in by. */
export interface OidcConfig {
  /** What the button says. */
  readonly name: string;
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string | null;
  readonly scopes: readonly string[];
  /** The role of whoever comes for the first time; null lets in only who is a member already. */
  readonly newcomers: Role | null;
}

export interface KeyConfig {
  readonly name: string;
  readonly key: string;
  readonly scopes: readonly Scope[];
}

/** An MCP endpoint that recorded incidents may be done again against. */
export interface ReplayTarget {
  readonly name: string;
  /** The whole endpoint. */
  readonly url: string;
}

/** Everything that the process was told from outside, validated. Holds secrets: never log it. */
export interface Config {
  readonly host: string;
  /** 0 lets the system choose; the line that announces the start names the chosen one. */
  readonly port: number;
  readonly dataDir: string;
  /** Null: the embedded server under `dataDir` is used. */
  readonly databaseUrl: string | null;
  /** Null: session logs of the proxy stay in memory. */
  readonly redisUrl: string | null;
  readonly auth: 'on' | 'off';
  /** Null: the secret kept in `dataDir` is used. */
  readonly secret: string | null;
  readonly routes: readonly RouteConfig[];
  /** Bytes that a process of the proxy holds of session logs at most. */
  readonly proxyMemoryBytes: number;
  /** Host names, without port, by which clients reach the proxy, beside those of this machine and of the public URL. */
  readonly proxyHosts: readonly string[];
  /** Origins of pages elsewhere that may use the proxy. */
  readonly proxyOrigins: readonly string[];
  readonly alerts: {
    readonly channels: readonly ChannelConfig[];
    readonly rules: readonly RuleInput[];
    readonly allowPrivateTargets: readonly string[];
    /** Where people reach the product, without a slash at its end; null: the address it listens on. */
    readonly publicUrl: string | null;
  };
  readonly keys: readonly KeyConfig[];
  /** Null: members sign in by password only. */
  readonly oidc: OidcConfig | null;
  /** Beside the routes of this install's own proxy, which always are. */
  readonly replayTargets: readonly ReplayTarget[];
  /** Null: what the settings say holds. */
  readonly retention: Retention | null;
  /** What is allowed and yet worth a line at start. */
  readonly warnings: readonly string[];
}
