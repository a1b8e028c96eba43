import { type ClientRequest, Agent as HttpAgent, type IncomingMessage, type OutgoingHttpHeaders, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { ANSWER_BYTES_MAX, type Batch, outcomeOfStatus, outcomeOfStored, type SendOutcome, type Transport } from './batch.js';
import { retryAfterMs } from './retry-after.js';

const gzipAsync = promisify(gzip);
/** Below this size compression costs more than it saves. */
const GZIP_FROM_BYTES = 8 * 1024;
/** The fastest level: records repeat themselves so much that higher ones save little more and cost much. */
const GZIP = { level: 1 } as const;
/** Status of an answer that the intake gives once a batch is committed. */
const STORED = 202;

export interface IntakeTarget {
  readonly endpoint: URL;
  readonly key: string | undefined;
  readonly timeoutMs: number;
}

/** How one request ended. */
type Exchange =
  | { readonly kind: 'answered'; readonly response: IncomingMessage; readonly text: string }
  /** `isStale`: over a connection that carried an earlier request, and without an answer. */
  | { readonly kind: 'failed'; readonly message: string; readonly isStale: boolean }
  | { readonly kind: 'timed_out'; readonly isConnected: boolean };

/** One POST per batch, one at a time, so that records arrive in order. */
export class HttpTransport implements Transport {
  readonly window = 1;
  readonly #target: IntakeTarget;
  readonly #agent: HttpAgent;

  constructor(target: IntakeTarget) {
    this.#target = target;
    // A connection that waits for its next request keeps no process alive.
    const Agent = target.endpoint.protocol === 'https:' ? HttpsAgent : HttpAgent;
    this.#agent = new Agent({ keepAlive: true });
  }

  async send({ origin, lines }: Batch, signal: AbortSignal): Promise<SendOutcome> {
    const { key, timeoutMs } = this.#target;
    const text = `${lines.join('\n')}\n`;
    const isLarge = text.length >= GZIP_FROM_BYTES;
    const body = isLarge ? await gzipAsync(text, GZIP) : Buffer.from(text);
    const headers: OutgoingHttpHeaders = {
      'content-type': 'application/x-ndjson',
      'content-length': body.length,
      'tidemark-producer': origin.producer,
      'tidemark-epoch': origin.epoch,
      'tidemark-sequence': String(origin.sequence),
      'tidemark-dropped': String(origin.dropped),
      ...(origin.began === null ? {} : { 'tidemark-began': String(origin.began) }),
      ...(isLarge ? { 'content-encoding': 'gzip' } : {}),
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    };
    const exchange = await this.#exchange(headers, body, signal);
    // The intake may have closed a connection that was idle just as the request was written.
    const isAgain = exchange.kind === 'failed' && exchange.isStale && !signal.aborted;
    return outcomeOf(isAgain ? await this.#exchange(headers, body, signal) : exchange, timeoutMs);
  }

  close(): void {
    this.#agent.destroy();
  }

  #exchange(headers: OutgoingHttpHeaders, body: Buffer, signal: AbortSignal): Promise<Exchange> {
    const { endpoint, timeoutMs } = this.#target;
    const isSecure = endpoint.protocol === 'https:';
    return new Promise((resolve) => {
      const request = (isSecure ? requestHttps : requestHttp)(endpoint, { method: 'POST', agent: this.#agent, headers, signal });
      const progress = watch(request, isSecure);
      const timer = setTimeout(() => {
        resolve({ kind: 'timed_out', isConnected: progress.isConnected });
        request.destroy();
      }, timeoutMs);
      timer.unref();
      const end = (exchange: Exchange) => {
        clearTimeout(timer);
        resolve(exchange);
      };
      const fail = (cause: Error) =>
        end({ kind: 'failed', message: reasonOf(cause), isStale: request.reusedSocket && !progress.isAnswered });
      request.on('error', fail);
      request.on('response', (response) => {
        readBounded(response).then((text) => end({ kind: 'answered', response, text }), fail);
      });
      request.end(body);
    });
  }
}

interface Progress {
  isConnected: boolean;
  isAnswered: boolean;
}

/** How far a request has come. */
function watch(request: ClientRequest, isSecure: boolean): Readonly<Progress> {
  const progress: Progress = { isConnected: false, isAnswered: false };
  const connected = () => {
    progress.isConnected = true;
  };
  request.once('socket', (socket) => {
    if (request.reusedSocket) connected();
    else socket.once(isSecure ? 'secureConnect' : 'connect', connected);
  });
  request.once('response', () => {
    progress.isAnswered = true;
  });
  return progress;
}

function outcomeOf(exchange: Exchange, timeoutMs: number): SendOutcome {
  if (exchange.kind === 'failed') return { kind: 'retry', afterMs: 0, isAway: true, message: exchange.message };
  if (exchange.kind === 'timed_out') return timedOut(exchange.isConnected, timeoutMs);
  const { response, text } = exchange;
  const { statusCode: status = 0, headers } = response;
  const told = `${status}: ${text.slice(0, 200)}`;
  // A redirection is not followed: the key and the records are for the intake alone.
  if (status < 400) return outcomeOfStored(status === STORED ? parse(text) : null, `something else than the intake answered ${told}`);
  return outcomeOfStatus(status, retryAfterMs(headers['retry-after'], Date.now()), `the intake answered ${told}`);
}

/** A batch that the intake does not answer in time may be at fault itself; one that has not reached it is not. */
function timedOut(isConnected: boolean, timeoutMs: number): SendOutcome {
  const what = isConnected ? 'the intake did not answer' : 'no connection to the intake was made';
  return { kind: 'retry', afterMs: 0, isAway: !isConnected, message: `${what} within ${timeoutMs} ms` };
}

function parse(answer: string): unknown {
  try {
    return JSON.parse(answer);
  } catch {
    // Not the intake's, which always answers with JSON, or cut off on its way.
    return null;
  }
}

/** Failures of several addresses together have a code and no message. */
function reasonOf(cause: Error): string {
  return cause.message || ('code' in cause ? String(cause.code) : cause.name);
}

async function readBounded(response: IncomingMessage): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of response as AsyncIterable<Buffer>) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > ANSWER_BYTES_MAX) break;
  }
  return text;
}
