import type { Call } from '@/lib/proxy/call';
import { probeSession } from '@/lib/proxy/dead-session';
import { decide } from '@/lib/resume/decide';
import type { Decision } from '@/lib/resume/types';
import { type LocatedCursor, locateCursor } from '@/lib/session-log/locate-cursor';
import type { SessionLog } from '@/lib/session-log/session-log';

export interface JudgedCursor {
  readonly log: SessionLog | null;
  readonly located: LocatedCursor;
  readonly decision: Decision;
}

/** Judges a cursor by the log as it stands now. */
export async function judge(call: Call, key: string, lastEventId: string): Promise<JudgedCursor> {
  let log = await call.ctx.sessions.judged(call, key);
  const isForeign = log !== null && log.principal !== call.principal;
  // Somebody else's session costs as much as none: how long the answer takes must not tell them apart.
  if ((log === null || isForeign) && call.enforces && (await probeSession(call)) !== 'dead' && !isForeign) {
    // The upstream knows a session that this log does not: it was alive before the log began.
    if (call.token !== null) log = await call.ctx.sessions.alive(call, key, call.token);
  }
  return judgeIn(call, log, lastEventId);
}

export function judgeIn(call: Call, log: SessionLog | null, lastEventId: string): JudgedCursor {
  const located = locateCursor(log, call.principal, lastEventId, call.version);
  const decision = decide({ floor: call.route.route.floor }, located.session, located.log, located.request);
  return { log, located, decision };
}
