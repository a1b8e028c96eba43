import type { IncomingMessage } from 'node:http';
import type { Call } from '@/lib/proxy/call';
import { answerDeadSession } from '@/lib/proxy/dead-session';
import { goneUpstream, settle } from '@/lib/proxy/handle-post';
import { keepGoing } from '@/lib/proxy/keep-going';
import { type Maybe, whenReady } from '@/lib/proxy/log-store';
import { relayWhole } from '@/lib/proxy/relay-response';
import { pipeBody, sendUpstream } from '@/lib/proxy/upstream-request';

/** DELETE: when the upstream agrees the session is forgotten; its 405 stays 405 and the session stays. */
export function handleDelete(call: Call): void {
  const upstream = sendUpstream(call, {
    method: 'DELETE',
    isPiped: true,
    onResponse: (response) => settle(call, onDeleteResponse(call, response)),
  });
  pipeBody(call, upstream);
}

function onDeleteResponse(call: Call, response: IncomingMessage): Maybe<void> {
  const { key, token, ctx } = call;
  const status = response.statusCode ?? 0;
  const relay = () => relayWhole(response, call.res);
  if (key === null || token === null) {
    relay();
    return;
  }
  if (status === 404)
    return whenReady(
      keepGoing(call, undefined, () => goneUpstream(call, key, token)),
      relay,
    );
  if (status === 400 && call.enforces) {
    answerDeadSession(call, response);
    return;
  }
  if (status < 200 || status >= 300) {
    relay();
    return;
  }
  const forget = () =>
    whenReady(ctx.store.find(key), (log): Maybe<Forgotten> => {
      if (log !== null && log.principal !== call.principal) return 'known';
      return whenReady(ctx.sessions.gone(call, key, token, 'ended'), () => 'known' as const);
    });
  const forgetUnasked = () => ctx.sessions.gone(call, key, token, 'ended', call.principal);
  return whenReady(keepGoing<Forgotten>(call, 'unasked', forget), (outcome) =>
    whenReady(outcome === 'unasked' ? keepGoing(call, undefined, forgetUnasked) : undefined, relay),
  );
}

/** `unasked` where the store could not say whose the session is. */
type Forgotten = 'known' | 'unasked';
