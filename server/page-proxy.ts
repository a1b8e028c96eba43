import { Agent, type ClientRequest, type IncomingMessage, request as openRequest, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { type Duplex, pipeline } from 'node:stream';
import { UntakenAnswers } from '@/lib/http/untaken-answers';
import type { RendererAddress, RendererProcess } from './renderer-process';

/** A page that has not begun to answer by then never will. */
const ANSWER_MS = 30_000;
/** Long enough for a renderer that is restarted; a reader waits no longer. */
const RENDERER_WAIT_MS = 10_000;
const HOP_BY_HOP = new Set(['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade']);

/** Hands page requests to the renderer and streams its answers back; says so with a page when there is no renderer. */
export class PageProxy {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 64 });
  /** A reader that stalls would keep one of those from everybody else. */
  readonly #untaken: UntakenAnswers;

  /** @param answerMsMax time after which an answer of which nothing is taken is given up */
  constructor(
    private readonly renderer: Pick<RendererProcess, 'whenListening'>,
    answerMsMax?: number,
  ) {
    this.#untaken = new UntakenAnswers(answerMsMax);
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    void this.#untaken.watch(request, response);
    const address = await this.renderer.whenListening(RENDERER_WAIT_MS);
    if (address === null) sayUnavailable(response);
    else this.#forward(address, request, response, true);
  }

  /** Joins an upgraded connection to the renderer: the development server's own channel. */
  async joinUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const address = await this.renderer.whenListening(RENDERER_WAIT_MS);
    if (address === null) {
      socket.destroy();
      return;
    }
    const upstream = 'socketPath' in address ? connect(address.socketPath) : connect(address.port, address.host);
    const lines = [`${request.method} ${request.url} HTTP/1.1`];
    for (let index = 0; index < request.rawHeaders.length; index += 2)
      lines.push(`${request.rawHeaders[index]}: ${request.rawHeaders[index + 1]}`);
    upstream.write(`${lines.join('\r\n')}\r\n\r\n`);
    upstream.write(head);
    pipeline(upstream, socket, () => upstream.destroy());
    pipeline(socket, upstream, () => socket.destroy());
  }

  close(): void {
    this.#agent.destroy();
  }

  #forward(address: RendererAddress, request: IncomingMessage, response: ServerResponse, mayRepeat: boolean): void {
    const upstream = openRequest({
      ...address,
      agent: this.#agent,
      method: request.method,
      path: request.url,
      headers: requestHeaders(request),
    });
    upstream.setTimeout(ANSWER_MS, () => upstream.destroy(new Error('the renderer does not answer')));
    upstream.on('response', (answer) => {
      upstream.setTimeout(0);
      response.writeHead(answer.statusCode ?? 502, responseHeaders(answer));
      pipeline(answer, response, () => undefined);
    });
    upstream.on('error', () => {
      // A connection that was kept from before a restart fails at once, with nothing sent to anyone.
      if (mayRepeat && upstream.reusedSocket && isBodiless(request)) this.#forward(address, request, response, false);
      else if (response.headersSent) response.destroy();
      else sayUnavailable(response);
    });
    response.once('close', () => upstream.destroy());
    sendBody(request, upstream);
  }
}

const isBodiless = (request: IncomingMessage): boolean => request.method === 'GET' || request.method === 'HEAD';

function sendBody(request: IncomingMessage, upstream: ClientRequest): void {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  if (isBodiless(request) || (length === undefined && encoding === undefined)) upstream.end();
  else pipeline(request, upstream, () => undefined);
}

/** Pages need to know nobody: the renderer gets no credential of who asks for one. */
const CREDENTIALS = new Set(['cookie', 'authorization']);

/** A body that goes on is framed as it came; a length whose body stays here would be made up from the next request. */
function requestHeaders(request: IncomingMessage): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = { 'x-forwarded-host': request.headers.host ?? '' };
  const isLeft = isBodiless(request);
  for (const [name, value] of Object.entries(request.headers))
    if (value !== undefined && !HOP_BY_HOP.has(name) && !CREDENTIALS.has(name) && !(isLeft && name === 'content-length'))
      headers[name] = value;
  if (!isLeft && request.headers['transfer-encoding'] !== undefined) headers['transfer-encoding'] = 'chunked';
  return headers;
}

function responseHeaders(answer: IncomingMessage): string[] {
  return answer.rawHeaders.filter((_, index) => !HOP_BY_HOP.has((answer.rawHeaders[index - (index % 2)] ?? '').toLowerCase()));
}

function sayUnavailable(response: ServerResponse): void {
  response.writeHead(502, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store', 'retry-after': '2' });
  response.end(
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Pages are restarting · Tidemark</title><meta http-equiv="refresh" content="2"></head>' +
      '<body><h1>Pages are restarting</h1><p>The page renderer is down and is being restarted. Intake, the API and the proxy are not affected. ' +
      'This page loads again by itself; if it stays, look for “the page renderer ended” in the log.</p></body></html>',
  );
}
