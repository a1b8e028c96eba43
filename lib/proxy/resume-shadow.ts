import type { IncomingMessage } from 'node:http';
import { reportAttempt } from '@/lib/proxy/attempt-record';
import type { Call } from '@/lib/proxy/call';
import type { JudgedCursor } from '@/lib/proxy/judge-cursor';
import type { Leg } from '@/lib/proxy/leg';
import { openLeg } from '@/lib/proxy/open-leg';
import { isEventStream, relayHead, relayWhole } from '@/lib/proxy/relay-response';
import { sendUpstream } from '@/lib/proxy/upstream-request';
import { ReplayCheck } from '@/lib/session-log/replay-check';

/** How long a watched replay may take before it is reported as far as it came. */
const OBSERVED_MS = 3_000;

/** Shadow: the upstream answers as if nobody judged; what it did is reported beside what the rules say. */
export function observeResume(call: Call, key: string, judged: JudgedCursor): void {
  const { stream } = judged.located;
  const standing = stream === null ? null : call.route.legOf(key, stream.name);
  if (standing !== null && standing.client === null) standing.destroy();
  const upstream = sendUpstream(call, {
    method: 'GET',
    onResponse: (response) => onObserved(call, key, judged, response),
  });
  call.res.on('close', () => {
    if (!call.res.headersSent) upstream.destroy();
  });
  upstream.end();
}

function onObserved(call: Call, key: string, judged: JudgedCursor, response: IncomingMessage): void {
  const { located, log } = judged;
  const status = response.statusCode ?? 0;
  const isServed = status === 200 && isEventStream(response);
  if (!isServed || log === null || call.token === null || log.principal !== call.principal) {
    reportAttempt(call, located, { verdict: isServed ? 'resumed' : 'refused', reason: status === 409 ? 'stream_busy' : null, status });
    relayWhole(response, call.res);
    return;
  }
  const { stream } = located;
  const cursor = Number(located.request.cursor ?? 0n);
  const name = stream?.name ?? 'get';
  const check = stream === null ? null : new ReplayCheck(log, stream, cursor);
  let isReported = false;
  const report = (leg: Leg | null) => {
    if (isReported) return;
    isReported = true;
    clearTimeout(timer);
    reportAttempt(call, located, {
      verdict: 'resumed',
      reason: null,
      status,
      replayed: { count: leg?.check?.replayed ?? 0, first: null, last: null },
    });
  };
  const leg = openLeg(call, {
    names: { key, stream: name, requestId: stream?.requestId ?? null },
    token: call.token,
    upstream: response,
    check,
    onReplayed: report,
  });
  const timer = setTimeout(() => report(leg), OBSERVED_MS);
  timer.unref();
  call.res.on('close', () => report(leg));
  relayHead(response, call.res);
  call.res.flushHeaders();
  leg.attach(call.res, call.conn);
}
