import type { ProxyContext } from '@/lib/proxy/call';
import type { RouteMode } from '@/lib/proxy/route';
import type { RouteRuntime } from '@/lib/proxy/route-runtime';
import { lowestCursorAtFloor } from '@/lib/resume/log-tests';
import type { StreamLog } from '@/lib/session-log/stream-log';

/** A route as operators see it. Counts run since the process started. */
export interface RouteStatus {
  readonly name: string;
  readonly upstream: string;
  readonly mode: RouteMode;
  readonly configuredMode: RouteMode;
  readonly canaryPercent: number;
  readonly configuredCanaryPercent: number;
  readonly replay: 'upstream' | 'proxy';
  readonly refusal: 'status' | 'terminal_error' | 'auto';
  readonly requests: number;
  readonly streams: number;
  readonly openStreams: number;
  readonly events: number;
  readonly resumed: number;
  readonly refused: Readonly<Record<string, number>>;
  readonly wouldRefuse: Readonly<Record<string, number>>;
  /** Share of attempts that shadow would have refused, 0 to 1; null where it judged too few to tell. */
  readonly predictedRate: number | null;
}

/** What is behind the question mark may be a key of the upstream's. */
const withoutQuery = (url: string): string => url.replace(/\?.*$/s, '?…');

export function routeStatus(runtime: RouteRuntime): RouteStatus {
  const { route, counts, mode, canaryPercent } = runtime;
  return {
    name: route.name,
    upstream: withoutQuery(route.upstream),
    mode,
    configuredMode: route.mode,
    canaryPercent,
    configuredCanaryPercent: route.canaryPercent,
    replay: route.replay,
    refusal: route.refusal,
    requests: counts.requests,
    streams: counts.streams,
    openStreams: runtime.allLegs().length,
    events: counts.events,
    resumed: counts.resumed,
    refused: { ...counts.refused },
    wouldRefuse: { ...counts.wouldRefuse },
    predictedRate: runtime.breaker.predictedRate,
  };
}

/** One stream of a live session. */
export interface StreamStatus {
  readonly stream: string;
  readonly floor: number;
  readonly head: number;
  readonly retainedBytes: number;
  /** Whether a client reads it now. */
  readonly hasListener: boolean;
  readonly isReadUpstream: boolean;
  /** How far its client's cursor is above the lowest that can be resumed, in events; negative below it. Null while no client is known. */
  readonly leadToFloor: number | null;
}

export interface SessionStatus {
  /** Key of the session, by which it can be ended; not the token. */
  readonly ref: string;
  /** Processes that served it since they started. */
  readonly nodes: readonly string[];
  readonly generation: string;
  readonly createdAt: number;
  readonly lastAt: number;
  readonly streams: readonly StreamStatus[];
}

/** Live sessions that this process served, most recently active first, at most `limit`. */
export async function sessionStatuses(ctx: ProxyContext, runtime: RouteRuntime, limit: number): Promise<SessionStatus[]> {
  const refs = ctx.sessions.keysOfRoute(runtime.route.name).slice(-limit).reverse();
  const statuses = await Promise.all(refs.map((ref) => sessionStatus(ctx, runtime, ref)));
  return statuses.filter((status) => status !== null);
}

async function sessionStatus(ctx: ProxyContext, runtime: RouteRuntime, ref: string): Promise<SessionStatus | null> {
  const log = await ctx.store.find(ref);
  if (log === null || log.state !== 'live') return null;
  const streams = log.listStreams().map((stream) => {
    const leg = runtime.legOf(ref, stream.name);
    const { floor, head, bytes } = stream;
    const hasListener = leg?.client != null;
    const leadToFloor = leadOf(runtime, stream, hasListener ? head : stream.leftAt);
    return { stream: stream.name, floor, head, retainedBytes: bytes, hasListener, isReadUpstream: leg !== null, leadToFloor };
  });
  return { ref, nodes: [ctx.node], generation: log.generation, createdAt: log.createdAt, lastAt: log.lastAt, streams };
}

function leadOf({ route }: RouteRuntime, stream: StreamLog, cursor: number | null): number | null {
  if (cursor === null) return null;
  return cursor - Number(lowestCursorAtFloor({ floor: route.floor }, stream.facts()));
}
