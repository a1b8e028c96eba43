import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { type Call, ofSession } from '@/lib/proxy/call';
import { answerDeadSession } from '@/lib/proxy/dead-session';
import { holdNewStream } from '@/lib/proxy/hold-stream';
import { keepGoing } from '@/lib/proxy/keep-going';
import { watchClient } from '@/lib/proxy/liveness';
import { type Maybe, whenReady } from '@/lib/proxy/log-store';
import { openLeg } from '@/lib/proxy/open-leg';
import { type FlowingBody, readPostBody } from '@/lib/proxy/post-body';
import { SESSION_GONE, sendRefusal } from '@/lib/proxy/refusal';
import { isEventStream, relayHead, relayWhole } from '@/lib/proxy/relay-response';
import { isModernEra, pendingIdOf, type RpcSummary, summarizeRpc } from '@/lib/proxy/rpc-summary';
import { failCall, sendUpstream } from '@/lib/proxy/upstream-request';
import { idsOf } from '@/lib/session-log/pending-ids';

/** Bodies up to this size are written in one piece with their head. */
const SINGLE_WRITE_BYTES_MAX = 16 * 1024;

/** POST: the body goes on as it came; what it says of methods and ids is kept, the body is not. */
export function handlePost(call: Call): void {
  readPostBody(call, {
    whole: (body) => gatheredPost(call, body),
    begun: (body) => flowingPost(call, body),
  });
}

function gatheredPost(call: Call, body: Buffer): void {
  const messages = summarizeRpc(body);
  const proceed = () => {
    const upstream = startPost(call, () => messages);
    // Text joins its head in one write, and in this encoding it is the bytes as they are.
    if (body.length <= SINGLE_WRITE_BYTES_MAX) upstream.end(body.toString('latin1'), 'latin1');
    else upstream.end(body);
  };
  unlessGone(call, messages, proceed, () => refuseGone(call));
}

/** A body that is not held: read on its way. */
function flowingPost(call: Call, body: FlowingBody): void {
  const proceed = () => body.flow(startPost(call, () => body.messages()));
  const refuse = () => {
    refuseGone(call);
    body.discard();
  };
  unlessGone(call, body.messages(), proceed, refuse);
}

/** Whether the session is gone is asked where it counts: an `initialize` begins anew whatever was before. */
function unlessGone(call: Call, messages: readonly RpcSummary[], proceed: () => void, refuse: () => void): void {
  const { key, enforces } = call;
  if (!enforces || key === null || isInitialize(messages) || isModernEra(call.version, messages)) proceed();
  else
    settle(
      call,
      whenReady(isGoneOrUnknown(call, key), (isGone) => (isGone ? refuse() : proceed())),
    );
}

const isInitialize = (messages: readonly RpcSummary[]): boolean => messages.some(({ method }) => method === 'initialize');

/** A store that is down stops no live traffic. */
export function isGoneOrUnknown(call: Call, key: string): Maybe<boolean> {
  const { sessions } = call.ctx;
  return keepGoing(call, false, () => whenReady(sessions.current(call, key), (found) => sessions.isGone(found, call.principal)));
}

export function refuseGone(call: Call): void {
  call.route.noteRefused('session_gone');
  sendRefusal(call.res, 404, SESSION_GONE);
}

/** Lets a failure of a promised step end the call instead of the process. */
export function settle(call: Call, outcome: Maybe<void>): void {
  if (outcome instanceof Promise)
    outcome.catch((error: unknown) => failCall(call, error instanceof Error ? error : new Error(String(error))));
}

/** `read` answers what is known of the body by then. */
function startPost(call: Call, read: () => readonly RpcSummary[]) {
  const upstream = sendUpstream(call, {
    method: 'POST',
    isPiped: true,
    onResponse: (response) => settle(call, onPostResponse(call, read(), response)),
  });
  call.res.on('close', () => {
    // From 2026-07-28 on a disconnect is the cancel; before, it is none.
    if (!call.res.writableFinished && isModernEra(call.version, read())) upstream.destroy();
  });
  return upstream;
}

function onPostResponse(call: Call, messages: readonly RpcSummary[], response: IncomingMessage): Maybe<void> {
  reportRequests(call, messages, response);
  if (!(Number(response.headers['content-length']) <= SINGLE_WRITE_BYTES_MAX)) watchClient(call);
  if (isModernEra(call.version, messages)) {
    relayWhole(response, call.res);
    return;
  }
  return whenReady(followSession(call, messages, response), (session) => {
    const status = response.statusCode ?? 0;
    if (session !== null && isEventStream(response) && status === 200)
      relayAnswerStream(ofSession(call, session.key), pendingIdOf(messages), session, response);
    else if (status === 400 && call.enforces && call.key !== null && !isInitialize(messages)) answerDeadSession(call, response);
    else if (call.res.destroyed) response.resume();
    else relayWhole(response, call.res);
  });
}

export interface SessionName {
  readonly key: string;
  readonly token: string;
}

/** Reads from a response what it says about the session; null when the call belongs to none. */
function followSession(call: Call, messages: readonly RpcSummary[], response: IncomingMessage): Maybe<SessionName | null> {
  const { ctx, route, token, key } = call;
  const status = response.statusCode ?? 0;
  if (isInitialize(messages) && status === 200) {
    const minted = response.headers['mcp-session-id'];
    if (typeof minted !== 'string' || minted === '') return null;
    const name = { key: ctx.credentials.sessionKey(route.route.name, minted), token: minted };
    return keepGoing(call, name, () => whenReady(ctx.sessions.initialized(call, name.key, minted), () => name));
  }
  if (token === null || key === null) return null;
  const name = { key, token };
  if (status >= 200 && status < 300) return keepGoing<SessionName | null>(call, name, () => aliveUpstream(call, name));
  if (status === 404) return keepGoing(call, name, () => whenReady(goneUpstream(call, key, token), () => name));
  return name;
}

/** The upstream answered for the session. What it sends to somebody else than its owner is relayed, never logged for the owner. */
export function aliveUpstream(call: Call, name: SessionName): Maybe<SessionName | null> {
  return whenReady(call.ctx.sessions.alive(call, name.key, name.token), (log) => (log?.principal === call.principal ? name : null));
}

/** The upstream says that the session is gone; believed only for the one whose session it is. */
export function goneUpstream(call: Call, key: string, token: string): Maybe<void> {
  return whenReady(call.ctx.store.find(key), (log) => {
    if (log === null || log.principal !== call.principal || log.state === 'evicted') return;
    return call.ctx.sessions.gone(call, key, token, 'evicted');
  });
}

function relayAnswerStream(call: Call, requestId: string | null, session: SessionName, response: IncomingMessage): void {
  const { ctx, route, res, conn } = call;
  const stream = `post:${(requestId ?? '-').replaceAll(/[^\x20-\x7e]/g, '?').slice(0, 64)}:${randomBytes(3).toString('hex')}`;
  const [only, ...others] = idsOf(requestId);
  ctx.telemetry.add({
    type: 'open',
    server: route.route.name,
    session: session.token,
    stream,
    conn,
    method: 'POST',
    rpc_id: only === undefined || others.length > 0 ? null : JSON.parse(only),
    status: 200,
    protocol_version: call.version,
  });
  const leg = openLeg(call, { names: { key: session.key, stream, requestId }, token: session.token, upstream: response, check: null });
  if (res.destroyed) {
    leg.conn = conn;
    return;
  }
  holdNewStream(call, leg.names);
  relayHead(response, res);
  res.flushHeaders();
  leg.attach(res, conn);
}

/** A batch is told call by call where it was taken; refused as a whole, it is one request. */
function reportRequests(call: Call, messages: readonly RpcSummary[], response: IncomingMessage): void {
  const status = response.statusCode ?? 0;
  const calls = messages.filter(({ type }) => type === 'request');
  const told = calls.length > 1 && status >= 200 && status < 300 ? calls : [calls[0] ?? messages[0] ?? null];
  for (const message of told) reportRequest(call, message, response);
}

function reportRequest(call: Call, message: RpcSummary | null, response: IncomingMessage): void {
  const { ctx, route } = call;
  ctx.telemetry.add({
    type: 'request',
    server: route.route.name,
    session: call.token,
    conn: call.conn,
    protocol_version: message?.envelopeVersion ?? call.version,
    status: response.statusCode ?? null,
    content_type: response.headers['content-type'] ?? null,
    upstream: route.url.host,
    ...(message === null ? {} : rpcFields(call, message)),
  });
}

function rpcFields(call: Call, rpc: RpcSummary) {
  return {
    rpc: {
      type: rpc.type,
      ...(rpc.method === null ? {} : { method: rpc.method }),
      ...(rpc.id === null ? {} : { id: JSON.parse(rpc.id) as string | number }),
    },
    ...(rpc.tool === null ? {} : { tool: rpc.tool }),
    ...(rpc.args === null ? {} : { args_digest: call.ctx.credentials.digest(rpc.args) }),
  };
}
