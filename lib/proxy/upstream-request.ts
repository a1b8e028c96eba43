import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { type RequestOptions as HttpsRequestOptions, request as httpsRequest } from 'node:https';
import type { Call } from '@/lib/proxy/call';
import { forwardHeaders } from '@/lib/proxy/headers';
import { sendError } from '@/lib/proxy/refusal';
import { isEventStream, readByNode } from '@/lib/proxy/relay-response';
import { tapOf, UpstreamTap } from '@/lib/proxy/upstream-tap';

export interface UpstreamSend {
  readonly method: string;
  /** Headers replaced for this hop beside `Host`; null drops one. */
  readonly replaced?: Readonly<Record<string, string | null>>;
  /** Whether the client's own body follows, as it comes. */
  readonly isPiped?: boolean;
  readonly onResponse: (response: IncomingMessage) => void;
  /** Default: 502, or the connection is cut when the head was already sent. */
  readonly onError?: (error: Error) => void;
}

/** A request that is under way. */
export interface UpstreamGet {
  destroy(): void;
}

/**
 * Sends a GET, the one request whose answer may stream for hours. A connection that was used before may have been closed
 * by the upstream a moment ago: then the request is sent once more, on a connection of its own.
 */
export function getUpstream(call: Call, send: Omit<UpstreamSend, 'method'>): UpstreamGet {
  let isOver = false;
  const start = (connection: Connection): ClientRequest => {
    const request = sendUpstream(
      call,
      {
        ...send,
        method: 'GET',
        onError: (error) => {
          if (!isOver && request.reusedSocket && !call.res.destroyed && isClosed(error)) current = start('own');
          else if (send.onError === undefined) failCall(call, error);
          else send.onError(error);
        },
        onResponse: (response) => {
          isOver = true;
          send.onResponse(response);
        },
      },
      connection,
    );
    request.on('socket', (socket) => tapOf(socket)?.expectStream());
    request.end();
    return request;
  };
  let current = start('pooled');
  return {
    destroy: () => {
      isOver = true;
      current.destroy();
    },
  };
}

const isClosed = (error: Error): boolean => 'code' in error && (error.code === 'ECONNRESET' || error.code === 'EPIPE');

type Connection = 'pooled' | 'own';

/**
 * Opens a request to the route's upstream with the client's own headers. The caller ends it. An event stream
 * cannot be read through a compression, so requests that accept one do not offer any.
 */
export function sendUpstream(call: Call, send: UpstreamSend, connection: Connection = 'pooled'): ClientRequest {
  const { route, ctx } = call;
  const { upstream } = route;
  const replaced: Record<string, string | null> = { host: upstream.authority, ...send.replaced };
  frameBody(call, send, replaced);
  if (call.req.headers.accept?.includes('text/event-stream') === true) replaced['accept-encoding'] = null;
  const request = (upstream.protocol === 'https:' ? httpsRequest : httpRequest)({
    protocol: upstream.protocol,
    host: upstream.host,
    port: upstream.port,
    path: upstream.path + joinSearch(upstream.search, call.search),
    method: send.method,
    headers: forwardHeaders(call.req.rawHeaders, replaced),
    ...connectionOf(call, connection),
  });
  const timer = setTimeout(() => request.destroy(new Error('the upstream did not answer in time')), ctx.timeouts.answerMs);
  timer.unref();
  request.on('socket', (socket) => {
    if (!socket.connecting) return;
    const connecting = setTimeout(
      () => request.destroy(new Error('the upstream did not accept a connection in time')),
      ctx.timeouts.connectMs,
    );
    const connected = route.upstream.protocol === 'https:' ? 'secureConnect' : 'connect';
    // The connection outlives this request by far, and must not hold on to it.
    const settled = (): void => {
      clearTimeout(connecting);
      socket.off(connected, settled);
      socket.off('close', settled);
    };
    socket.on(connected, settled);
    socket.on('close', settled);
  });
  request.on('response', (response) => {
    clearTimeout(timer);
    call.upstreamHeaders = response.headers;
    route.noteAnswered();
    if (response.statusCode !== 200 || !isEventStream(response)) readByNode(response);
    send.onResponse(response);
  });
  const fail = (error: Error) => {
    clearTimeout(timer);
    if ('code' in error && error.code === 'ECONNREFUSED') route.noteUnreachable();
    if (send.onError === undefined) failCall(call, error);
    else send.onError(error);
  };
  // Nobody asked for it: a tunnel would pass by everything that is done here.
  request.on('upgrade', (_response, socket) => {
    socket.destroy();
    fail(new Error('the upstream switched protocols unasked'));
  });
  request.on('error', fail);
  return request;
}

/** Tells the client that the upstream failed: in words while the head is unsent, by cutting the connection after. */
export function failCall(call: Call, error: Error): void {
  const { res, ctx, route } = call;
  ctx.log('warn', 'upstream failed', { route: route.route.name, error: error.message });
  if (res.headersSent) res.destroy();
  else if (!res.destroyed && isUntrusted(error)) {
    sendError(
      res,
      502,
      'upstream_untrusted',
      `the upstream of route ${route.route.name} does not prove by its certificate who it is: ${error.message.slice(0, 200)}`,
      'name the certificates that it must lead to as upstream_ca, or mend the certificate; nothing was sent',
    );
  } else if (!res.destroyed) {
    sendError(
      res,
      502,
      'upstream_unreachable',
      `the upstream of route ${route.route.name} did not answer`,
      'check that the upstream runs and retry',
    );
  }
}

/** Codes of failed checks of a certificate, and of peers that speak no TLS at all. */
const UNTRUSTED = /CERT|ISSUER|SELF_SIGNED|UNABLE_TO_VERIFY|^ERR_TLS|^ERR_SSL|^EPROTO$/;

const isUntrusted = (error: Error): boolean => 'code' in error && typeof error.code === 'string' && UNTRUSTED.test(error.code);

/**
 * What is sent must be framed as its head says: a head that promises a body that does not come, or a body that no head frames,
 * would make the upstream read one client's bytes as another one's request.
 */
function frameBody({ req }: Call, { method, isPiped }: UpstreamSend, replaced: Record<string, string | null>): void {
  if (isPiped === true && req.headers['transfer-encoding'] !== undefined) replaced['transfer-encoding'] = 'chunked';
  if (isPiped !== true && method === 'GET') replaced['content-length'] = null;
}

/**
 * Sends the client's own body after its head, as it comes. Without a length and without chunks there is none: on a request that
 * says neither, node would write what comes as it is.
 */
export function pipeBody({ req }: Call, upstream: ClientRequest): void {
  if (req.headers['content-length'] === undefined && req.headers['transfer-encoding'] === undefined) upstream.end();
  else req.pipe(upstream);
}

function connectionOf({ route }: Call, connection: Connection): Pick<HttpsRequestOptions, 'agent' | 'createConnection' | 'ca'> {
  const { upstream, agent } = route;
  if (connection === 'pooled') return { agent };
  const { upstreamCa: ca } = route.route;
  return upstream.protocol === 'https:'
    ? { agent: false, ...(ca === null ? {} : { ca }) }
    : { createConnection: () => new UpstreamTap(upstream).socket };
}

function joinSearch(own: string, client: string): string {
  if (own === '') return client;
  return client === '' ? own : `${own}&${client.slice(1)}`;
}
