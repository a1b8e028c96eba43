import type { IncomingMessage } from 'node:http';
import { failResume, reportAttempt, reportUnjudged } from '@/lib/proxy/attempt-record';
import type { Call } from '@/lib/proxy/call';
import { judgeIn } from '@/lib/proxy/judge-cursor';
import { refusalError, sendRefusal } from '@/lib/proxy/refusal';
import { relayWhole } from '@/lib/proxy/relay-response';
import { actOf, noteShadow } from '@/lib/proxy/resume-shadow';
import { failCall, getUpstream } from '@/lib/proxy/upstream-request';

/**
 * A cursor that comes without a session: no log can hold it, so the session that it is of is unknown. Where the route says that its
 * upstream resumes without sessions it goes on, and is reported without facts to judge it by.
 */
export function handleSessionlessCursor(call: Call, lastEventId: string): void {
  if (call.route.route.sessionlessCursors === 'pass') {
    pass(
      call,
      (response) => reportUnjudged(call, lastEventId, actOf(response)),
      (error) => {
        reportUnjudged(call, lastEventId, { verdict: 'failed', reason: null, status: null });
        failCall(call, error);
      },
    );
    return;
  }
  const judged = judgeIn(call, null, lastEventId);
  const { decision, located } = judged;
  if (!call.enforces) {
    pass(
      call,
      (response) => {
        noteShadow(call, judged);
        reportAttempt(call, located, actOf(response));
      },
      (error) => failResume(call, located, error),
    );
    return;
  }
  const error = refusalError(decision, located);
  call.route.noteRefused(decision.reason);
  reportAttempt(call, located, { verdict: 'refused', reason: decision.reason, status: decision.status, code: error.code });
  sendRefusal(call.res, decision.status, error);
}

function pass(call: Call, report: (response: IncomingMessage) => void, onError: (error: Error) => void): void {
  const upstream = getUpstream(call, {
    onResponse: (response) => {
      report(response);
      relayWhole(response, call.res);
    },
    onError,
  });
  call.res.on('close', () => {
    if (!call.res.headersSent) upstream.destroy();
  });
}
