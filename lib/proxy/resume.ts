import { reportAttempt, reportUnjudged } from '@/lib/proxy/attempt-record';
import type { Call } from '@/lib/proxy/call';
import { holdStream } from '@/lib/proxy/hold-stream';
import { type JudgedCursor, judge, judgeIn } from '@/lib/proxy/judge-cursor';
import { haveStalledGiveWay } from '@/lib/proxy/liveness';
import { StoreUnavailable, whenReady } from '@/lib/proxy/log-store';
import { noteOutcome, seenCursor } from '@/lib/proxy/note-outcome';
import { CODES, FENCING_REASONS, refusalError, STORE_UNAVAILABLE, STREAM_BUSY, sendRefusal } from '@/lib/proxy/refusal';
import { isOfBreaker } from '@/lib/proxy/refusal-breaker';
import { followOtherReader } from '@/lib/proxy/resume-follow';
import { type AcceptedResume, resumeFromOwnLog } from '@/lib/proxy/resume-own';
import { observeResume, passUnjudged } from '@/lib/proxy/resume-shadow';
import { resumeUpstream } from '@/lib/proxy/resume-upstream';
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
    if (judged.decision.verdict === 'refuse') await refuse(call, key, judged);
    else await serve(call, key, lastEventId, judged);
  } catch (error) {
    if (!(error instanceof StoreUnavailable) || call.res.headersSent) throw error;
    refuseWithoutStore(call, lastEventId);
  }
}

async function serve(call: Call, key: string, lastEventId: string, judged: JudgedCursor): Promise<void> {
  const place = { stream: judged.located.stream?.name ?? '', requestId: judged.located.pendingRequestId };
  await haveStalledGiveWay(call, key, place.stream);
  const hold = await holdStream(call, { key, ...place });
  await call.route.legOf(key, place.stream)?.settled();
  const latest = await judgeAgain(call, key, lastEventId, judged);
  if (call.res.destroyed) return;
  if (latest.decision.verdict === 'refuse') {
    await refuse(call, key, latest);
    return;
  }
  const { located, decision, log } = latest;
  const { stream } = located;
  if (stream === null || log === null || call.token === null) return;
  const accepted: AcceptedResume = { key, token: call.token, lastEventId, log, located, stream, decision };
  const own = hold === 'busy' ? 'busy' : resumeFromOwnLog(call, accepted);
  if (own === 'served') return;
  if (own === 'busy' || hold === 'busy') {
    reportAttempt(call, located, { verdict: 'refused', reason: 'stream_busy', status: 409, code: CODES.streamBusy });
    sendRefusal(call.res, 409, STREAM_BUSY);
    return;
  }
  if (await followOtherReader(call, accepted, hold)) return;
  const refused = await resumeUpstream(call, accepted);
  if (refused !== null) await refuse(call, key, refused);
}

/** A copy of a shared log may have been replaced while the stream was claimed: what came since is in the new one alone. */
async function judgeAgain(call: Call, key: string, lastEventId: string, judged: JudgedCursor): Promise<JudgedCursor> {
  const { store } = call.ctx;
  if (!store.isShared) return judged;
  const log = await store.find(key);
  return log === judged.log ? judged : judgeIn(call, log, lastEventId);
}

/** Says no, once, with the reason, and keeps a session with a doubtful generation refused. */
export async function refuse(call: Call, key: string, judged: JudgedCursor): Promise<void> {
  const { located, decision } = judged;
  const { ctx, route, res } = call;
  const error = refusalError(decision, located);
  if (FENCING_REASONS.has(decision.reason)) await whenReady(ctx.sessions.fence(call, key), () => undefined);
  const settles = route.route.refusal !== 'status' && decision.status === 409 ? located.pendingRequestId : null;
  const status = settles === null ? decision.status : 200;
  route.counts.refused[decision.reason] = (route.counts.refused[decision.reason] ?? 0) + 1;
  reportAttempt(call, located, { verdict: 'refused', reason: decision.reason, status: decision.status, code: error.code });
  if (settles === null) sendRefusal(res, status, error);
  else sendTerminalError(res, ctx.credentials, key, settles, error);
  noteForBreaker(call, key, judged);
}

/** Without the log nothing can be judged: said so, never guessed. */
export function refuseWithoutStore(call: Call, lastEventId: string): void {
  reportUnjudged(call, lastEventId, { verdict: 'failed', reason: 'store_unavailable', status: 503, code: CODES.storeDown });
  sendRefusal(call.res, 503, STORE_UNAVAILABLE, { 'retry-after': String(RETRY_AFTER_S) });
}

function noteForBreaker(call: Call, key: string, { log, located, decision }: JudgedCursor): void {
  if (isOfBreaker(decision)) noteOutcome(call, key, seenCursor(located, log), true);
}
