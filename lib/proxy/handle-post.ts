import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Call } from '@/lib/proxy/call';
import { answerDeadSession } from '@/lib/proxy/dead-session';
import { holdNewStream } from '@/lib/proxy/hold-stream';
import { keepGoing } from '@/lib/proxy/keep-going';
import { type Maybe, whenReady } from '@/lib/proxy/log-store';
import { openLeg } from '@/lib/proxy/open-leg';
import { SESSION_GONE, sendError, sendRefusal } from '@/lib/proxy/refusal';
import { isEventStream, relayHead, relayWhole } from '@/lib/proxy/relay-response';
import { isModernEra, type RpcSummary, summarizeRpc } from '@/lib/proxy/rpc-summary';
import { failCall, sendUpstream } from '@/lib/proxy/upstream-request';

/** Bodies up to this size are read before they are sent on, which spares a write; larger ones are streamed. */
const GATHERED_BODY_BYTES_MAX = 1024 * 1024;

/** Bodies up to this size are written in one piece with their head. */
const SINGLE_WRITE_BYTES_MAX = 16 * 1024;

/** POST: the body goes on as it came; what it says of method and id is kept, the body is not. */
export function handlePost(call: Call): void {
  const { req } = call;
  watchBody(call);
  const length = Number(req.headers['content-length'] ?? Number.NaN);
  if (!(length <= GATHERED_BODY_BYTES_MAX)) {
    streamPost(call);
    return;
  }
  const chunks: Buffer[] = [];
  req.on('data', (chunk: Buffer) => chunks.push(chunk));
  req.on('end', () => {
    const body = chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
    gatheredPost(call, body);
  });
}

/** A body that stands still holds a connection and what came of it; it is not waited for longer than this. */
function watchBody({ req, res, ctx }: Call): void {
  const timer = setTimeout(() => {
    if (req.complete || res.headersSent) return;
    sendError(res, 408, 'request_timeout', 'the body of the request did not come', 'send the request whole and without pause');
    res.once('finish', () => req.destroy());
  }, ctx.timeouts.bodyPauseMs);
  timer.unref();
  req.on('data', () => timer.refresh());
  req.once('close', () => clearTimeout(timer));
  req.once('end', () => clearTimeout(timer));
}

function gatheredPost(call: Call, body: Buffer): void {
  const rpc = summarizeRpc(body);
  const isModern = isModernEra(call.version, rpc);
  const proceed = () => {
    const upstream = startPost(call, rpc, isModern);
    // Text joins its head in one write, and in this encoding it is the bytes as they are.
    if (body.length <= SINGLE_WRITE_BYTES_MAX) upstream.end(body.toString('latin1'), 'latin1');
    else upstream.end(body);
  };
  if (!call.enforces || call.key === null || isModern || rpc?.method === 'initialize') {
    proceed();
    return;
  }
  settle(
    call,
    whenReady(isGoneOrUnknown(call, call.key), (isGone) => (isGone ? refuseGone(call) : proceed())),
  );
}

/** A body too large to look into: forwarded as it flows, with the session's state checked first. */
function streamPost(call: Call): void {
  const proceed = () => {
    const upstream = startPost(call, null, isModernEra(call.version, null), true);
    call.req.pipe(upstream);
    call.req.on('close', () => {
      if (!call.req.complete) upstream.destroy();
    });
  };
  if (!call.enforces || call.key === null) proceed();
  else
    settle(
      call,
      whenReady(isGoneOrUnknown(call, call.key), (isGone) => (isGone ? refuseGone(call) : proceed())),
    );
}

/** A store that is down stops no live traffic. */
export function isGoneOrUnknown(call: Call, key: string): Maybe<boolean> {
  const { sessions } = call.ctx;
  return keepGoing(call, false, () => whenReady(sessions.current(call, key), (found) => sessions.isGone(found, call.principal)));
}

export function refuseGone(call: Call): void {
  call.route.counts.refused['session_gone'] = (call.route.counts.refused['session_gone'] ?? 0) + 1;
  sendRefusal(call.res, 404, SESSION_GONE);
}

/** Lets a failure of a promised step end the call instead of the process. */
export function settle(call: Call, outcome: Maybe<void>): void {
  if (outcome instanceof Promise)
    outcome.catch((error: unknown) => failCall(call, error instanceof Error ? error : new Error(String(error))));
}

function startPost(call: Call, rpc: RpcSummary | null, isModern: boolean, isPiped = false) {
  const upstream = sendUpstream(call, {
    method: 'POST',
    isPiped,
    onResponse: (response) => settle(call, onPostResponse(call, rpc, isModern, response)),
  });
  call.res.on('close', () => {
    // From 2026-07-28 on a disconnect is the cancel; before, it is none.
    if (isModern && !call.res.writableFinished) upstream.destroy();
  });
  return upstream;
}

function onPostResponse(call: Call, rpc: RpcSummary | null, isModern: boolean, response: IncomingMessage): Maybe<void> {
  reportRequest(call, rpc, response);
  if (isModern) {
    relayWhole(response, call.res);
    return;
  }
  return whenReady(followSession(call, rpc, response), (session) => {
    const status = response.statusCode ?? 0;
    if (session !== null && isEventStream(response) && status === 200) relayAnswerStream(call, rpc, session, response);
    else if (status === 400 && call.enforces && call.key !== null && rpc?.method !== 'initialize') answerDeadSession(call, response);
    else if (call.res.destroyed) response.resume();
    else relayWhole(response, call.res);
  });
}

export interface SessionName {
  readonly key: string;
  readonly token: string;
}

/** Reads from a response what it says about the session; null when the call belongs to none. */
function followSession(call: Call, rpc: RpcSummary | null, response: IncomingMessage): Maybe<SessionName | null> {
  const { ctx, route, token, key } = call;
  const status = response.statusCode ?? 0;
  if (rpc?.method === 'initialize' && status === 200) {
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

function relayAnswerStream(call: Call, rpc: RpcSummary | null, session: SessionName, response: IncomingMessage): void {
  const { ctx, route, res, conn } = call;
  const requestId = rpc?.type === 'request' ? rpc.id : null;
  const stream = `post:${(requestId ?? '-').replaceAll(/[^\x20-\x7e]/g, '?').slice(0, 64)}:${randomBytes(3).toString('hex')}`;
  ctx.telemetry.add({
    type: 'open',
    server: route.route.name,
    session: session.token,
    stream,
    conn,
    method: 'POST',
    rpc_id: requestId === null ? null : JSON.parse(requestId),
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

function reportRequest(call: Call, rpc: RpcSummary | null, response: IncomingMessage): void {
  const { ctx, route } = call;
  ctx.telemetry.add({
    type: 'request',
    server: route.route.name,
    session: call.token,
    conn: call.conn,
    protocol_version: rpc?.envelopeVersion ?? call.version,
    status: response.statusCode ?? null,
    content_type: response.headers['content-type'] ?? null,
    upstream: route.url.host,
    ...(rpc === null ? {} : rpcFields(call, rpc)),
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
