import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { BodyBudget } from '@/lib/proxy/body-budget';
import type { Credentials } from '@/lib/proxy/credentials';
import { headerValue } from '@/lib/proxy/headers';
import type { SessionLogStore } from '@/lib/proxy/log-store';
import type { OriginPolicy } from '@/lib/proxy/origin-guard';
import type { RouteMode } from '@/lib/proxy/route';
import type { RouteRuntime } from '@/lib/proxy/route-runtime';
import type { SessionTracker } from '@/lib/proxy/session-tracker';
import type { Telemetry } from '@/lib/proxy/telemetry';

export type LogFields = Readonly<Record<string, string | number | boolean | null>>;
export type ProxyLog = (level: 'info' | 'warn' | 'error', message: string, fields: LogFields) => void;

/** An alert that enforcement switched itself off. */
export interface ProxyAlert {
  readonly route: string;
  /** The mode that it left. */
  readonly from: RouteMode;
  readonly kind: 'advancing_cursor' | 'refusal_rate';
  readonly refused: number;
  readonly attempts: number;
}

export interface ProxyTimeouts {
  /** To open a connection to the upstream. */
  readonly connectMs: number;
  /** To the upstream's response head; a tool call may think for long. */
  readonly answerMs: number;
  /** Between owed events of a replay; a resume that stays silent is ended with an error. */
  readonly replaySilenceMs: number;
  /** A pending call's stream that was resumed upstream and stays silent is asked for again after this long. */
  readonly resumeAgainMs: number;
  /** Between two pieces of a request's body. */
  readonly bodyPauseMs: number;
  /** For a body that is read before it is sent on. */
  readonly bodyMs: number;
  /** For the probe that asks whether the upstream still knows a session. */
  readonly probeMs: number;
}

export const DEFAULT_TIMEOUTS: ProxyTimeouts = {
  connectMs: 10_000,
  answerMs: 15 * 60_000,
  replaySilenceMs: 5_000,
  resumeAgainMs: 10_000,
  bodyPauseMs: 30_000,
  bodyMs: 60_000,
  probeMs: 3_000,
};

/** What every request shares. */
export interface ProxyContext {
  readonly store: SessionLogStore;
  readonly credentials: Credentials;
  readonly telemetry: Telemetry;
  readonly sessions: SessionTracker;
  readonly bodies: BodyBudget;
  /** Of events that are not whole yet. */
  readonly unfinished: BodyBudget;
  readonly clock: () => number;
  readonly log: ProxyLog;
  readonly node: string;
  readonly timeouts: ProxyTimeouts;
  readonly origins: OriginPolicy;
  readonly onAlert: (alert: ProxyAlert) => void;
  readonly nextConn: () => string;
}

/** One request on its way through a route. */
export interface Call {
  readonly ctx: ProxyContext;
  readonly route: RouteRuntime;
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  /** Query as the client sent it, with its question mark, or empty. */
  readonly search: string;
  readonly token: string | null;
  /** Key of the presented token; null without one. */
  readonly key: string | null;
  readonly principal: string;
  /** `MCP-Protocol-Version` as sent. */
  readonly version: string | null;
  /** Whether the verdict is acted on for this session. */
  readonly enforces: boolean;
  readonly conn: string;
  readonly startedAt: number;
  /** Incarnation of the upstream when the request came: what answers it is of none before. */
  readonly incarnation: number;
  /** Headers of the upstream's response, once it came. */
  upstreamHeaders: IncomingHttpHeaders | null;
}

export function startCall(ctx: ProxyContext, route: RouteRuntime, req: IncomingMessage, res: ServerResponse, search: string): Call {
  const token = headerValue(req.headers['mcp-session-id']);
  const key = token === null ? null : ctx.credentials.sessionKey(route.route.name, token);
  return {
    ctx,
    route,
    req,
    res,
    search,
    token,
    key,
    principal: ctx.credentials.principal(req.headers, route.route.credentialHeaders),
    version: headerValue(req.headers['mcp-protocol-version']),
    enforces: enforcesOn(ctx, route, key),
    conn: ctx.nextConn(),
    startedAt: ctx.clock(),
    incarnation: route.incarnation,
    upstreamHeaders: null,
  };
}

/** The call as one of the session that its answer named: `canary` decides by that session alone. */
export function ofSession(call: Call, key: string): Call {
  return key === call.key ? call : { ...call, enforces: enforcesOn(call.ctx, call.route, key) };
}

/** What belongs to no session is on the side that enforcement reaches last. */
const NO_SESSION_BUCKET = 99;

function enforcesOn({ credentials }: ProxyContext, route: RouteRuntime, key: string | null): boolean {
  return route.enforces(() => (key === null ? NO_SESSION_BUCKET : credentials.bucket(key)));
}
