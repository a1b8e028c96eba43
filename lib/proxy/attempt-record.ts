import { encodePosition, type JsonPosition } from '@/lib/base/position';
import type { PositionRange } from '@/lib/base/ranges';
import type { Call } from '@/lib/proxy/call';
import type { UnstampedRecord } from '@/lib/proxy/telemetry';
import { failCall } from '@/lib/proxy/upstream-request';
import type { LocatedCursor } from '@/lib/session-log/locate-cursor';

/** What was done with an attempt. */
export interface AttemptAct {
  readonly verdict: 'resumed' | 'refused' | 'fresh' | 'failed';
  readonly reason: string | null;
  readonly status: number | null;
  readonly code?: number | null;
  readonly replayed?: { readonly count: number; readonly first: string | null; readonly last: string | null } | null;
}

/** Reports one resume attempt with every fact that its verdict was taken from. */
export function reportAttempt(call: Call, located: LocatedCursor, act: AttemptAct): void {
  const { stream, request, session } = located;
  const isFound = stream !== null;
  report(call, request.lastEventId, act, {
    session_state: session.state,
    ...(session.generation === null ? {} : { generation: session.generation }),
    ...(isFound ? { stream: stream.name } : {}),
    ...(located.isPositionKnown ? { cursor: request.cursor === null ? null : encodePosition(request.cursor) } : {}),
    ...(request.cursor === null ? {} : { requested_generation: request.generation }),
    ...(isFound ? logFields(located) : {}),
  });
}

/** Reports an attempt that nothing is known of, since the log cannot be reached: not even whether the session lives. */
export function reportUnjudged(call: Call, lastEventId: string, act: AttemptAct): void {
  report(call, lastEventId, act, {});
}

type AttemptFields = Extract<UnstampedRecord, { type: 'resume_attempt' }>;

function report(call: Call, lastEventId: string | null, act: AttemptAct, facts: Partial<AttemptFields>): void {
  const { ctx, route } = call;
  ctx.telemetry.flush();
  ctx.telemetry.add({
    type: 'resume_attempt',
    server: route.route.name,
    session: call.token,
    conn: call.conn,
    protocol_version: call.version,
    last_event_id: lastEventId,
    ...facts,
    verdict: act.verdict,
    reason: act.reason,
    status: act.status,
    code: act.code ?? null,
    replayed: act.replayed ?? null,
    latency_ms: Math.max(0, ctx.clock() - call.startedAt),
    policy: { floor: route.route.floor },
  });
}

/** The upstream never answered a resume: said to the client, and reported as what it is. */
export function failResume(call: Call, located: LocatedCursor, error: Error): void {
  reportAttempt(call, located, { verdict: 'failed', reason: null, status: null });
  failCall(call, error);
}

function logFields(located: LocatedCursor) {
  const { floor, head, holes, reused, coveredFrom } = located.log;
  return {
    floor: encodePosition(floor),
    head: encodePosition(head),
    holes: holes.map(encodeRange),
    reused: reused.map(encodeRange),
    ...(coveredFrom === null ? {} : { covered_from: encodePosition(coveredFrom) }),
  };
}

const encodeRange = ({ first, last }: PositionRange): [JsonPosition, JsonPosition] => [encodePosition(first), encodePosition(last)];
