import type { IncomingMessage } from 'node:http';
import type { Call } from '@/lib/proxy/call';
import { keepGoing } from '@/lib/proxy/keep-going';
import { SESSION_GONE, sendRefusal } from '@/lib/proxy/refusal';
import { relayWhole } from '@/lib/proxy/relay-response';
import { sendUpstream } from '@/lib/proxy/upstream-request';

/** What the upstream says of a session: `unsure` when it could not be asked. */
export type SessionProbe = 'alive' | 'dead' | 'unsure';

const PING = Buffer.from('{"jsonrpc":"2.0","id":"tidemark-probe","method":"ping"}');

/**
 * Asks the upstream with a `ping` under the client's own session and credential. Only done where the proxy would
 * otherwise have to guess: a token it never saw, or a 400 that may mean a dead session.
 */
export function probeSession(call: Call): Promise<SessionProbe> {
  const { ctx } = call;
  const kept = call.upstreamHeaders;
  return new Promise((resolve) => {
    const done = (probe: SessionProbe) => {
      clearTimeout(timer);
      call.upstreamHeaders = kept;
      request.destroy();
      resolve(probe);
    };
    const request = sendUpstream(call, {
      method: 'POST',
      replaced: {
        'content-type': 'application/json',
        'content-encoding': null,
        'content-length': String(PING.length),
        accept: 'application/json, text/event-stream',
        'last-event-id': null,
        'mcp-protocol-version': null,
      },
      onResponse: (response) => {
        response.resume();
        const status = response.statusCode ?? 0;
        if (status >= 200 && status < 300) done('alive');
        else done(status === 404 || status === 400 ? 'dead' : 'unsure');
      },
      onError: () => done('unsure'),
    });
    const timer = setTimeout(() => done('unsure'), ctx.timeouts.probeMs);
    request.end(PING);
  });
}

/**
 * A 400 for a request of a session: some servers answer so for a session that they do not know. If a ping says
 * the same, the client is told the truth, 404; if not, the 400 is the answer to this request and stays.
 */
export function answerDeadSession(call: Call, response: IncomingMessage): void {
  response.pause();
  const { key, token } = call;
  probeSession(call)
    .then(async (probe) => {
      if (probe !== 'dead' || key === null || token === null) {
        relayWhole(response, call.res);
        return;
      }
      response.destroy();
      await keepGoing(call, undefined, async () => {
        const log = await call.ctx.store.find(key);
        if (log !== null && log.principal === call.principal) await call.ctx.sessions.gone(call, key, token, 'evicted');
      });
      call.route.noteRefused('session_gone');
      sendRefusal(call.res, 404, SESSION_GONE);
    })
    .catch((error: unknown) => {
      call.ctx.log('error', 'probe failed', { route: call.route.route.name, error: String(error) });
      call.res.destroy();
    });
}
