import { reportAttempt } from '@/lib/proxy/attempt-record';
import type { Call } from '@/lib/proxy/call';
import { LegJournal } from '@/lib/proxy/leg-journal';
import { noteOutcome, seenCursor } from '@/lib/proxy/note-outcome';
import { STREAM_HEADERS } from '@/lib/proxy/terminal-event';
import type { Decision } from '@/lib/resume/types';
import type { LocatedCursor } from '@/lib/session-log/locate-cursor';
import type { SessionLog } from '@/lib/session-log/session-log';
import type { LoggedEvent, StreamLog } from '@/lib/session-log/stream-log';
import { KEEP_ALIVE_COMMENT } from '@/lib/sse/write-event';

const KEEP_ALIVE_EVERY_MS = 15_000;

/** A cursor that the rules accept. */
export interface AcceptedResume {
  readonly key: string;
  readonly token: string;
  readonly lastEventId: string;
  readonly log: SessionLog;
  readonly located: LocatedCursor;
  readonly stream: StreamLog;
  readonly decision: Decision;
}

/** Response headers that say what an accepted resume continues from; positions. */
export function resumeHeaders({ located, decision }: Pick<AcceptedResume, 'located' | 'decision'>): Record<string, string> {
  const { request, log, session } = located;
  return {
    ...(request.cursor === null ? {} : { 'tidemark-resumed-from': String(request.cursor) }),
    ...(session.generation === null ? {} : { 'tidemark-generation': session.generation }),
    'tidemark-floor': String(log.floor),
    'tidemark-head': String(log.head),
    ...(decision.replay === null ? {} : { 'tidemark-replayed': String(decision.replay.count) }),
  };
}

/**
 * Serves a resume from what the proxy holds, where it holds enough: the open upstream stream when nothing after
 * the cursor is missing from it, and the retained frames in replay mode `proxy`. The step from replay to live is
 * one synchronous act, so no event can fall between.
 */
export function resumeFromOwnLog(call: Call, accepted: AcceptedResume): 'served' | 'busy' | 'no' {
  const { stream, key } = accepted;
  const events = stream.after(cursorOf(accepted));
  const leg = call.route.legOf(key, stream.name);
  const retains = call.route.route.replay === 'proxy';
  if (leg !== null && leg.client !== null && retains) return 'busy';
  const hasFrames = events.every((event) => event.frame !== null);
  if (leg !== null && leg.client === null && leg.canAttach && (events.length === 0 || (retains && hasFrames))) {
    begin(call, accepted, events);
    leg.attach(call.res, call.conn, events);
    return 'served';
  }
  if (!retains || !hasFrames || !stream.isFinished) return 'no';
  begin(call, accepted, events);
  replayFinished(call, accepted, events);
  return 'served';
}

export const cursorOf = (accepted: AcceptedResume): number => Number(accepted.located.request.cursor ?? 0n);

function begin(call: Call, accepted: AcceptedResume, events: readonly LoggedEvent[]): void {
  call.res.writeHead(200, { ...STREAM_HEADERS, ...resumeHeaders(accepted) });
  call.res.flushHeaders();
  reportServed(call, accepted, events);
}

/** Reports an accepted resume with what its answer claims to be caught up to. */
export function reportServed(call: Call, accepted: AcceptedResume, events: readonly LoggedEvent[]): void {
  call.route.counts.resumed++;
  noteOutcome(call, call.key ?? '', seenCursor(accepted.located, null), false);
  reportAttempt(call, accepted.located, {
    verdict: 'resumed',
    reason: 'ok',
    status: 200,
    replayed: { count: events.length, first: events[0]?.id ?? null, last: events.at(-1)?.id ?? null },
  });
}

/**
 * An answered stream: the rest of it, then the end. With nothing left it stays open and quiet instead, since an
 * empty stream that ends at once makes clients reconnect without their cursor for ever.
 */
function replayFinished(call: Call, { token, stream }: AcceptedResume, events: readonly LoggedEvent[]): void {
  const { res, ctx, route } = call;
  const names = { server: route.route.name, session: token, stream: stream.name, protocolVersion: call.version };
  const journal = new LegJournal(ctx.telemetry, names);
  for (const event of events) {
    if (event.frame !== null) res.write(event.frame);
    journal.noteDelivered(event, ctx.sessions.generationOf(call.key ?? ''), call.conn);
  }
  if (events.length > 0) {
    res.end();
    return;
  }
  const timer = setInterval(() => res.write(KEEP_ALIVE_COMMENT), KEEP_ALIVE_EVERY_MS);
  timer.unref();
  const limit = setTimeout(() => res.end(), route.route.buffer.ttlMs);
  limit.unref();
  res.on('close', () => {
    clearInterval(timer);
    clearTimeout(limit);
  });
}
