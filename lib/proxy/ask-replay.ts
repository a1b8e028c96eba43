import type { IncomingMessage } from 'node:http';
import { failResume } from '@/lib/proxy/attempt-record';
import type { Call } from '@/lib/proxy/call';
import type { AcceptedResume } from '@/lib/proxy/resume-own';
import { failCall, getUpstream } from '@/lib/proxy/upstream-request';
import type { SessionLog } from '@/lib/session-log/session-log';

/** Waits between asking again after a 409 that our own, just closed connection may have caused. */
export const BUSY_RETRY_MS = [30, 80, 200, 500] as const;

/** The upstream's answer, and the log as it stands then: the one that the answer is to be held against, in the same tick. */
export interface ReplayAnswer {
  readonly response: IncomingMessage;
  readonly log: SessionLog | null;
}

/**
 * Asks the upstream for what follows an event. While it thinks, events are logged and copies of logs are replaced, so whatever was
 * known of the log before has to be located in this one again. Null where it did not answer, which was told by then.
 *
 * @throws StoreUnavailable
 */
export async function askReplay(
  call: Call,
  accepted: AcceptedResume,
  lastEventId: string,
  retries: readonly number[],
): Promise<ReplayAnswer | null> {
  const response = await ask(call, accepted, lastEventId, retries);
  if (response === null) return null;
  try {
    await call.route.knocked();
    await call.ctx.sessions.answered(call, accepted.key);
    return { response, log: await call.ctx.store.find(accepted.key) };
  } catch (error) {
    response.destroy();
    throw error;
  }
}

function ask(call: Call, accepted: AcceptedResume, lastEventId: string, retries: readonly number[]): Promise<IncomingMessage | null> {
  return new Promise((resolve) => {
    getUpstream(call, {
      replaced: { 'last-event-id': lastEventId },
      onResponse: (response) => {
        const [wait, ...rest] = retries;
        if (response.statusCode !== 409 || wait === undefined) {
          resolve(response);
          return;
        }
        response.resume();
        setTimeout(() => resolve(ask(call, accepted, lastEventId, rest)), wait);
      },
      onError: (error) => {
        if (call.res.headersSent) failCall(call, error);
        else failResume(call, accepted.located, error);
        resolve(null);
      },
    });
  });
}
