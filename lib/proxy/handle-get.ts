import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Call } from '@/lib/proxy/call';
import { answerDeadSession } from '@/lib/proxy/dead-session';
import { aliveUpstream, goneUpstream, isGoneOrUnknown, refuseGone, type SessionName, settle } from '@/lib/proxy/handle-post';
import { headerValue } from '@/lib/proxy/headers';
import { type HeldStream, holdNewStream, holdStream, holdsOf } from '@/lib/proxy/hold-stream';
import { keepGoing } from '@/lib/proxy/keep-going';
import type { Leg } from '@/lib/proxy/leg';
import { type Maybe, whenReady } from '@/lib/proxy/log-store';
import { openLeg } from '@/lib/proxy/open-leg';
import { sendError } from '@/lib/proxy/refusal';
import { isEventStream, relayHead, relayWhole } from '@/lib/proxy/relay-response';
import { handleResume } from '@/lib/proxy/resume';
import { isModernEra } from '@/lib/proxy/rpc-summary';
import { handleSessionlessCursor } from '@/lib/proxy/sessionless-cursor';
import { STREAM_HEADERS } from '@/lib/proxy/terminal-event';
import { getUpstream, pipeBody, sendUpstream } from '@/lib/proxy/upstream-request';

/** Name of the stream that a GET without a cursor opens. */
export const STANDALONE_STREAM = 'get';

/** GET: the standalone stream, or a resume where it carries a cursor. */
export function handleGet(call: Call): void {
  if (isModernEra(call.version, [])) {
    forwardPlainly(call);
    return;
  }
  const lastEventId = headerValue(call.req.headers['last-event-id']);
  if (call.key !== null && lastEventId !== null && call.ctx.credentials.isTerminalId(call.key, lastEventId)) {
    call.res.setHeader('allow', 'POST, DELETE');
    sendError(
      call.res,
      405,
      'stream_ended',
      'this stream ended with an error; there is nothing to resume',
      'start a new session with initialize',
    );
    return;
  }
  if (lastEventId !== null && lastEventId !== '') {
    if (call.token === null) handleSessionlessCursor(call, lastEventId);
    else settle(call, handleResume(call, lastEventId));
    return;
  }
  const { key } = call;
  if (key === null || !call.enforces) openStandalone(call);
  else
    settle(
      call,
      whenReady(isGoneOrUnknown(call, key), (isGone) => (isGone ? refuseGone(call) : openStandalone(call))),
    );
}

/** A request that this proxy has no say in: relayed, and aborted upstream when the client leaves. */
export function forwardPlainly(call: Call): void {
  const upstream = sendUpstream(call, {
    method: call.req.method ?? 'GET',
    isPiped: true,
    onResponse: (response) => relayWhole(response, call.res),
  });
  call.res.on('close', () => {
    if (!call.res.writableFinished) upstream.destroy();
  });
  pipeBody(call, upstream);
}

function openStandalone(call: Call): void {
  const { key, route, enforces } = call;
  const leg = key !== null && enforces && route.route.replay === 'proxy' ? route.legOf(key, STANDALONE_STREAM) : null;
  if (key === null || leg === null || leg.client !== null) forwardStandalone(call);
  else settle(call, attachOrForward(call, key, leg));
}

/** The leg stands still meanwhile: a busy one would be amid an append each time that it is looked at. */
async function attachOrForward(call: Call, key: string, leg: Leg): Promise<void> {
  const goOn = leg.pause();
  try {
    const isFree = await isOurs(call, { key, stream: STANDALONE_STREAM, requestId: null });
    await leg.settled();
    if (call.res.destroyed) return;
    if (isFree && leg.client === null && leg.canAttach) attachFresh(call, leg);
    else forwardStandalone(call);
  } finally {
    goOn();
  }
}

/** Whether this call may be served the stream; where the store is down that is not known, and live traffic goes on. */
function isOurs(call: Call, held: HeldStream): Maybe<boolean> {
  if (holdsOf(call) === null) return true;
  return holdStream(call, held, []).then(
    (hold) => hold !== 'busy',
    () => true,
  );
}

/** The proxy still reads the stream that an earlier client left: the newcomer gets what comes from now on. */
function attachFresh(call: Call, leg: Leg): void {
  const { ctx, route } = call;
  call.res.writeHead(200, STREAM_HEADERS);
  call.res.flushHeaders();
  reportOpen(call, 200, STANDALONE_STREAM);
  leg.attach(call.res, call.conn);
  ctx.log('info', 'client attached to a standing stream', { route: route.route.name });
}

function forwardStandalone(call: Call): void {
  const upstream = getUpstream(call, { onResponse: (response) => settle(call, onStandaloneResponse(call, response)) });
  call.res.on('close', () => {
    if (!call.res.headersSent) upstream.destroy();
  });
}

function onStandaloneResponse(call: Call, response: IncomingMessage): Maybe<void> {
  const { key, token } = call;
  const status = response.statusCode ?? 0;
  const isStream = status === 200 && isEventStream(response);
  // Which of its streams it is may have to be asked elsewhere first.
  const isNamedLater = isStream && holdsOf(call) !== null;
  const stream = isTaken(call) ? anotherName() : STANDALONE_STREAM;
  if (!isNamedLater) reportOpen(call, status, isStream ? stream : STANDALONE_STREAM);
  if (key === null || token === null) {
    relayWhole(response, call.res);
    return;
  }
  if (status === 404)
    return whenReady(
      keepGoing(call, undefined, () => goneUpstream(call, key, token)),
      () => relayWhole(response, call.res),
    );
  if (status === 400 && call.enforces) {
    answerDeadSession(call, response);
    return;
  }
  if (!isStream) {
    relayWhole(response, call.res);
    return;
  }
  const owned = keepGoing<SessionName | null>(call, { key, token }, () => aliveUpstream(call, { key, token }));
  return whenReady(owned, (name) => {
    if (call.res.destroyed) {
      response.destroy();
      return;
    }
    if (name === null) {
      if (isNamedLater) reportOpen(call, status, stream);
      relayWhole(response, call.res);
      return;
    }
    if (!isNamedLater) {
      return relayStandalone(call, response, { key, token, stream });
    }
    return whenReady(isOurs(call, { key, stream, requestId: null }), (isFree) => {
      const held = { key, stream: isFree ? stream : anotherName(), requestId: null };
      if (!isFree) holdNewStream(call, held);
      reportOpen(call, status, held.stream);
      return relayStandalone(call, response, { key, token, stream: held.stream });
    });
  });
}

interface NamedStream extends SessionName {
  readonly stream: string;
}

function relayStandalone(call: Call, response: IncomingMessage, named: NamedStream): Maybe<void> {
  return whenReady(markUnread(call, named), () => relayFrom(call, response, named));
}

function relayFrom(call: Call, response: IncomingMessage, { key, token, stream }: NamedStream): void {
  if (call.res.destroyed) {
    response.destroy();
    return;
  }
  const leg = openLeg(call, { names: { key, stream, requestId: null }, token, upstream: response, check: null });
  relayHead(response, call.res);
  call.res.flushHeaders();
  leg.attach(call.res, call.conn);
}

/**
 * Without a cursor the upstream goes on from where it is, and what it sent since its last connection went to nobody. Live
 * traffic goes on where the store is down; the store then says so itself once it is back.
 */
const markUnread = (call: Call, { key, stream }: NamedStream): Maybe<void> =>
  keepGoing(call, undefined, () => call.ctx.store.change(key, { kind: 'unread', stream }));

/** A server that takes a second standalone stream beside one that is read has two of them; their cursors must not mix. */
const isTaken = ({ key, route }: Call): boolean => key !== null && route.legOf(key, STANDALONE_STREAM)?.client != null;

const anotherName = (): string => `${STANDALONE_STREAM}:${randomBytes(3).toString('hex')}`;

function reportOpen(call: Call, status: number, stream: string): void {
  call.ctx.telemetry.add({
    type: 'open',
    server: call.route.route.name,
    session: call.token,
    stream,
    conn: call.conn,
    method: 'GET',
    status,
    protocol_version: call.version,
  });
}
