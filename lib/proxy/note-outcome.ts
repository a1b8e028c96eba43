import type { Call } from '@/lib/proxy/call';
import type { SeenCursor } from '@/lib/proxy/refusal-breaker';
import type { LocatedCursor } from '@/lib/session-log/locate-cursor';
import type { SessionLog } from '@/lib/session-log/session-log';

/** Tells the breaker of a resume; a refusal storm switches the route to shadow and raises an alert. */
export function noteOutcome(call: Call, key: string, cursor: SeenCursor, isRefused: boolean): void {
  const { ctx, route } = call;
  if (route.mode === 'shadow') return;
  const storm = route.breaker.note(key, cursor, isRefused, ctx.clock());
  if (storm === null) return;
  const alert = { route: route.route.name, from: route.mode, ...storm };
  route.mode = 'shadow';
  route.breaker.reset();
  ctx.log('error', 'refusal storm: the route was switched to shadow', { ...alert });
  ctx.onAlert(alert);
}

/** A cursor as the breaker sees it. */
export function seenCursor({ request, isPositionKnown }: LocatedCursor, log: SessionLog | null): SeenCursor {
  const evicted = (log?.listStreams() ?? []).reduce((count, stream) => count + Math.max(0, stream.head - stream.retained), 0);
  return { text: request.lastEventId ?? '', position: isPositionKnown ? request.cursor : null, evicted: BigInt(evicted) };
}
