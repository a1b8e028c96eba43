import { reportAttempt, reportUnjudged } from '@/lib/proxy/attempt-record';
import type { Call } from '@/lib/proxy/call';
import { type JudgedCursor, judge } from '@/lib/proxy/judge-cursor';
import { StoreUnavailable, whenReady } from '@/lib/proxy/log-store';
import { noteOutcome, seenCursor } from '@/lib/proxy/note-outcome';
import { CODES, FENCING_REASONS, refusalError, STORE_UNAVAILABLE, sendRefusal } from '@/lib/proxy/refusal';
import { isOfBreaker } from '@/lib/proxy/refusal-breaker';
import { observeResume, passUnjudged } from '@/lib/proxy/resume-shadow';
import { serveResume } from '@/lib/proxy/serve-resume';
import { sendTerminalError } from '@/lib/proxy/terminal-event';

const RETRY_AFTER_S = 2;

/** A GET with a cursor: judged by the rules, then refused, served, or (in shadow) passed on and watched. */
export async function handleResume(call: Call, lastEventId: string): Promise<void> {
  const { key } = call;
  if (key === null) return;
  let judged: JudgedCursor;
  try {
    judged = await judge(call, key, lastEventId);
  } catch (error) {
    call.ctx.log('error', 'session log store failed', { route: call.route.route.name, error: String(error) });
    if (call.enforces) refuseWithoutStore(call, lastEventId);
    else passUnjudged(call, key, lastEventId);
    return;
  }
  if (!call.enforces) {
    observeResume(call, key, judged);
    return;
  }
  try {
    const refused = judged.decision.verdict === 'refuse' ? judged : await serveResume(call, key, lastEventId, judged);
    if (refused !== null) await refuse(call, key, refused);
  } catch (error) {
    if (!(error instanceof StoreUnavailable) || call.res.headersSent) throw error;
    refuseWithoutStore(call, lastEventId);
  }
}

/** Says no, once, with the reason, and keeps a session with a doubtful generation refused. */
async function refuse(call: Call, key: string, judged: JudgedCursor): Promise<void> {
  const { located, decision } = judged;
  const { ctx, route, res } = call;
  const error = refusalError(decision, located);
  if (FENCING_REASONS.has(decision.reason)) await whenReady(ctx.sessions.fence(call, key), () => undefined);
  const settles = route.route.refusal !== 'status' && decision.status === 409 ? located.pendingRequestId : null;
  const status = settles === null ? decision.status : 200;
  route.noteRefused(decision.reason);
  reportAttempt(call, located, { verdict: 'refused', reason: decision.reason, status: decision.status, code: error.code });
  if (settles === null) sendRefusal(res, status, error);
  else sendTerminalError(res, ctx.credentials, key, settles, error);
  noteForBreaker(call, key, judged);
}

/** Without the log nothing can be judged: said so, never guessed. */
function refuseWithoutStore(call: Call, lastEventId: string): void {
  reportUnjudged(call, lastEventId, { verdict: 'failed', reason: 'store_unavailable', status: 503, code: CODES.storeDown });
  sendRefusal(call.res, 503, STORE_UNAVAILABLE, { 'retry-after': String(RETRY_AFTER_S) });
}

function noteForBreaker(call: Call, key: string, { log, located, decision }: JudgedCursor): void {
  if (isOfBreaker(decision)) noteOutcome(call, key, seenCursor(located, log), true);
}
