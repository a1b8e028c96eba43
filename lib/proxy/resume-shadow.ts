import type { IncomingMessage } from 'node:http';
import { type AttemptAct, failResume, reportAttempt, reportUnjudged } from '@/lib/proxy/attempt-record';
import type { Call } from '@/lib/proxy/call';
import { settle } from '@/lib/proxy/handle-post';
import { type JudgedCursor, judgeIn } from '@/lib/proxy/judge-cursor';
import { keepGoing } from '@/lib/proxy/keep-going';
import { type Maybe, whenReady } from '@/lib/proxy/log-store';
import { openLeg } from '@/lib/proxy/open-leg';
import { isOfBreaker } from '@/lib/proxy/refusal-breaker';
import { isEventStream, relayHead, relayWhole } from '@/lib/proxy/relay-response';
import { failCall, getUpstream } from '@/lib/proxy/upstream-request';
import { ReplayCheck } from '@/lib/session-log/replay-check';

/** How long a watched replay may take before it is reported as far as it came. */
const OBSERVED_MS = 3_000;

/** Shadow: the upstream answers as if nobody judged; what it did is reported beside what the rules say. */
export function observeResume(call: Call, key: string, judged: JudgedCursor): void {
  const { stream } = judged.located;
  const standing = stream === null ? null : call.route.legOf(key, stream.name);
  if (standing !== null && standing.client === null) standing.destroy();
  const upstream = getUpstream(call, {
    onResponse: (response) => settle(call, onAnswered(call, key, judged, response)),
    onError: (error) => failResume(call, judged.located, error),
  });
  call.res.on('close', () => {
    if (!call.res.headersSent) upstream.destroy();
  });
}

/** The answer may come of another process than the one that issued the cursor: then it is judged by what that means. */
function onAnswered(call: Call, key: string, judged: JudgedCursor, response: IncomingMessage): Maybe<void> {
  const { lastEventId } = judged.located.request;
  const answered = keepGoing(call, judged.log, () => call.ctx.sessions.answered(call, key));
  return whenReady(answered, (log) => {
    const isRebuilt = log !== null && log.generation !== judged.located.session.generation;
    const now = isRebuilt && lastEventId !== null ? judgeIn(call, log, lastEventId) : judged;
    noteShadow(call, now);
    onObserved(call, key, now, response);
  });
}

/** Counts what enforcing would have done. */
export function noteShadow(call: Call, { decision }: JudgedCursor): void {
  const wouldRefuse = decision.verdict === 'refuse';
  if (isOfBreaker(decision)) call.route.breaker.noteShadow(wouldRefuse);
  const counts = call.route.counts.wouldRefuse;
  if (wouldRefuse) counts[decision.reason] = (counts[decision.reason] ?? 0) + 1;
}

function onObserved(call: Call, key: string, judged: JudgedCursor, response: IncomingMessage): void {
  const { located, log } = judged;
  const status = response.statusCode ?? 0;
  const isServed = status === 200 && isEventStream(response);
  if (!isServed || log === null || call.token === null || log.principal !== call.principal) {
    reportAttempt(call, located, actOf(response));
    relayWhole(response, call.res);
    return;
  }
  const { stream } = located;
  const cursor = Number(located.request.cursor ?? 0n);
  const name = stream?.name ?? 'get';
  // A cursor that enforcing refuses is watched as far as it can be.
  const check = stream === null ? null : new ReplayCheck(log, stream, Math.max(cursor, stream.floor - 1));
  const isOwed = check !== null && check.owed > 0;
  let isReported = false;
  const report = () => {
    if (isReported) return;
    isReported = true;
    clearTimeout(timer);
    reportAttempt(call, located, {
      verdict: 'resumed',
      reason: null,
      status,
      // Where nothing is known to be owed, what the server writes speaks for itself.
      replayed: isOwed ? { count: check.replayed, first: null, last: null } : null,
    });
  };
  const leg = openLeg(call, {
    names: { key, stream: name, requestId: stream?.pendingRequestId ?? stream?.requestId ?? null },
    token: call.token,
    upstream: response,
    check,
    onReplayed: report,
  });
  const timer = setTimeout(report, OBSERVED_MS);
  timer.unref();
  call.res.on('close', report);
  relayHead(response, call.res);
  call.res.flushHeaders();
  leg.attach(call.res, call.conn);
  if (!isOwed) report();
}

/** Shadow refuses nobody: where the log cannot be reached the upstream answers all the same, and nothing is claimed of it. */
export function passUnjudged(call: Call, key: string, lastEventId: string): void {
  // One of them may be the stream that is asked for, and a server refuses a second reader.
  for (const leg of call.route.legsOf(key)) if (leg.client === null) leg.destroy();
  const upstream = getUpstream(call, {
    onResponse: (response) => {
      reportUnjudged(call, lastEventId, actOf(response));
      relayWhole(response, call.res);
    },
    onError: (error) => {
      reportUnjudged(call, lastEventId, { verdict: 'failed', reason: null, status: null });
      failCall(call, error);
    },
  });
  call.res.on('close', () => {
    if (!call.res.headersSent) upstream.destroy();
  });
}

/** What the upstream did, as its status tells. */
export function actOf(response: IncomingMessage): AttemptAct {
  const status = response.statusCode ?? 0;
  const isServed = status === 200 && isEventStream(response);
  return { verdict: isServed ? 'resumed' : 'refused', reason: status === 409 ? 'stream_busy' : null, status };
}
