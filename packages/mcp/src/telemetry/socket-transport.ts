import type { IncomingMessage } from 'node:http';
import type { ClientOptions, RawData, WebSocket } from 'ws';
import { ANSWER_BYTES_MAX, type Batch, outcomeOfStatus, outcomeOfStored, type SendOutcome, type Transport } from './batch.js';
import type { IntakeTarget } from './http-transport.js';
import { retryAfterMs } from './retry-after.js';

/** Frames that may wait for their acknowledgement; the intake stops reading beyond its own bound. */
const FRAMES_IN_FLIGHT_MAX = 4;
const CLOSED_TOO_LARGE = 1009;
/** An intake that does not answer a close within this time is left without. */
const CLOSE_GRACE_MS = 500;

/** An open socket, and how to settle each frame on it that waits for its acknowledgement, by number. */
interface Connection {
  readonly socket: WebSocket;
  readonly waiting: Map<number, (outcome: SendOutcome) => void>;
}

export interface SocketTarget extends IntakeTarget {
  /** What carries the batches where no WebSocket can be had. */
  readonly fallback: Transport;
  /** Told once, when the fallback is taken. */
  readonly onFallback: (message: string) => void;
}

/**
 * One WebSocket for all batches, each a frame that counts as stored when its acknowledgement comes. When the
 * connection ends every frame that was not acknowledged has to be sent again; the next sending connects anew.
 */
export class SocketTransport implements Transport {
  readonly #target: SocketTarget;
  /** Numbers that are under way; each is free again when its promise resolves. */
  readonly #claimed = new Map<number, Promise<void>>();
  #connection: Promise<Connection | SendOutcome> | null = null;
  /** What `#connection` is made of. */
  #socket: WebSocket | null = null;
  #isFallenBack = false;
  #isClosed = false;

  constructor(target: SocketTarget) {
    this.#target = target;
  }

  get window(): number {
    return this.#isFallenBack ? this.#target.fallback.window : FRAMES_IN_FLIGHT_MAX;
  }

  async send(batch: Batch, signal: AbortSignal): Promise<SendOutcome> {
    const { sequence } = batch.origin;
    // An acknowledgement names the number alone: of two epochs' batches with one number the second waits for the first.
    for (let other = this.#claimed.get(sequence); other !== undefined; other = this.#claimed.get(sequence)) await other;
    let release: () => void = () => undefined;
    this.#claimed.set(
      sequence,
      new Promise((resolve) => {
        release = resolve;
      }),
    );
    try {
      return await this.#sendClaimed(batch, signal);
    } finally {
      this.#claimed.delete(sequence);
      release();
    }
  }

  close(): void {
    this.#isClosed = true;
    if (this.#socket !== null) end(this.#socket);
    this.#target.fallback.close();
  }

  async #sendClaimed(batch: Batch, signal: AbortSignal): Promise<SendOutcome> {
    if (signal.aborted) return ABORTED;
    if (!this.#isFallenBack) {
      this.#connection ??= this.#connect();
      const connection = await unlessAborted(this.#connection, signal);
      if (signal.aborted) return ABORTED;
      if ('socket' in connection) return this.#exchange(connection, batch, signal);
      if (!this.#isFallenBack) return connection;
    }
    return this.#target.fallback.send(batch, signal);
  }

  #exchange({ socket, waiting }: Connection, batch: Batch, signal: AbortSignal): Promise<SendOutcome> {
    const { sequence } = batch.origin;
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        settle({ kind: 'retry', afterMs: 0, isAway: false, message: 'a frame was not acknowledged in time' });
        this.#drop(socket);
        socket.terminate();
      }, this.#target.timeoutMs);
      timer.unref();
      const abort = () => settle(ABORTED);
      const settle = (outcome: SendOutcome) => {
        clearTimeout(timer);
        signal.removeEventListener('abort', abort);
        waiting.delete(sequence);
        resolve(outcome);
      };
      signal.addEventListener('abort', abort);
      waiting.set(sequence, settle);
      socket.send(frameOf(batch), (cause) => {
        if (cause instanceof Error) settle(away(cause.message));
      });
    });
  }

  /** The open connection, or what kept it from opening. */
  async #connect(): Promise<Connection | SendOutcome> {
    const library = await import('ws').catch(() => null);
    if (library === null) return this.#fallBack('the package ws is not installed');
    if (this.#isClosed) return ABORTED;
    const { endpoint, key, timeoutMs } = this.#target;
    const url = new URL(`${endpoint.pathname}/ws`, endpoint);
    url.protocol = endpoint.protocol === 'https:' ? 'wss:' : 'ws:';
    const options: ClientOptions = {
      handshakeTimeout: timeoutMs,
      perMessageDeflate: false,
      maxPayload: ANSWER_BYTES_MAX,
      ...(key === undefined ? {} : { headers: { authorization: `Bearer ${key}` } }),
    };
    try {
      return await this.#opened(new library.WebSocket(url, options));
    } catch (cause) {
      return this.#fallBack(`no WebSocket can be made: ${cause instanceof Error ? cause.message : String(cause)}`);
    }
  }

  #opened(socket: WebSocket): Promise<Connection | SendOutcome> {
    const waiting: Connection['waiting'] = new Map();
    this.#socket = socket;
    return new Promise((resolve) => {
      socket.once('unexpected-response', (request, response) => {
        response.resume();
        request.destroy();
        this.#drop(socket);
        resolve(this.#refused(response));
      });
      socket.once('upgrade', (response) => response.socket.unref());
      socket.once('open', () => resolve({ socket, waiting }));
      socket.on('message', (data) => take(waiting, data));
      socket.on('error', (cause) => {
        this.#drop(socket);
        resolve(away(cause.message));
      });
      socket.on('close', (code, reason) => {
        this.#drop(socket);
        closed(waiting, code, reason.toString());
      });
    });
  }

  /** The next sending connects anew, unless one before it has done so already. */
  #drop(socket: WebSocket): void {
    if (this.#socket === socket) this.#connection = null;
  }

  #refused({ statusCode: status = 0, headers }: IncomingMessage): SendOutcome {
    const afterMs = retryAfterMs(headers['retry-after'], Date.now());
    const outcome = outcomeOfStatus(status, afterMs, `the intake answered the upgrade with ${status}`);
    const isForGood = outcome.kind === 'refused' || outcome.kind === 'too_large';
    return isForGood ? this.#fallBack(`the upgrade was answered ${status}`) : outcome;
  }

  #fallBack(message: string): SendOutcome {
    this.#isFallenBack = true;
    this.#target.onFallback(message);
    return away(message);
  }
}

function take(waiting: Connection['waiting'], data: RawData): void {
  const answer = parse(data.toString());
  const seq = numberIn(answer, 'ack') ?? numberIn(answer, 'seq');
  if (seq !== null) waiting.get(seq)?.(outcomeOfAnswer(answer));
}

function closed(waiting: Connection['waiting'], code: number, reason: string): void {
  const message = `the connection was closed with ${code} ${reason}`.trim();
  // Of several frames it cannot be told which one was too large; alone, one is.
  const isAtFault = code === CLOSED_TOO_LARGE && waiting.size === 1;
  for (const settle of [...waiting.values()]) settle(isAtFault ? { kind: 'too_large' } : away(message));
}

const ABORTED: SendOutcome = { kind: 'retry', afterMs: 0, isAway: true, message: 'telemetry was closed' };

/** What is promised, or that it was aborted, as soon as it is. */
function unlessAborted<T>(promised: Promise<T>, signal: AbortSignal): Promise<T | SendOutcome> {
  return new Promise((resolve, reject) => {
    const abort = () => resolve(ABORTED);
    signal.addEventListener('abort', abort);
    void promised.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/** Closes, without holding the process for the half minute that the library waits for an answer. */
function end(socket: WebSocket): void {
  const timer = setTimeout(() => socket.terminate(), CLOSE_GRACE_MS);
  timer.unref();
  socket.once('close', () => clearTimeout(timer));
  socket.close(1000);
}

function away(message: string): SendOutcome {
  return { kind: 'retry', afterMs: 0, isAway: true, message };
}

function frameOf({ origin, lines }: Batch): string {
  const { producer, epoch, began, sequence, dropped } = origin;
  const head = JSON.stringify({ seq: sequence, producer, epoch, began, dropped });
  return `${head.slice(0, -1)},"records":[${lines.join(',')}]}`;
}

/** Statuses that the codes of refused frames have over HTTP; what is not named here is a matter of the moment. */
const STATUS_OF_CODE: Readonly<Record<string, number>> = {
  malformed_json: 400,
  invalid_field: 400,
  batch_too_large: 413,
  body_too_large: 413,
  key_missing: 401,
  key_unknown: 403,
  intake_full: 429,
  internal: 500,
};

function outcomeOfAnswer(answer: Readonly<Record<string, unknown>>): SendOutcome {
  const { error, retry_after: seconds } = answer;
  if (error === undefined) {
    const told = JSON.stringify(answer).slice(0, 200);
    return outcomeOfStored('ack' in answer ? answer : null, `something else than the intake answered a frame: ${told}`);
  }
  const code = error !== null && typeof error === 'object' && 'code' in error ? String(error.code) : 'unknown';
  const afterMs = typeof seconds === 'number' ? retryAfterMs(String(Math.ceil(seconds)), Date.now()) : 0;
  return outcomeOfStatus(STATUS_OF_CODE[code] ?? 503, afterMs, `the intake refused a frame: ${JSON.stringify(error).slice(0, 200)}`);
}

function numberIn(answer: Readonly<Record<string, unknown>>, name: string): number | null {
  const value = answer[name];
  return typeof value === 'number' ? value : null;
}

function parse(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return value !== null && typeof value === 'object' ? (value as Record<string, unknown>) : {};
  } catch {
    // What cannot be read names no frame; the frame that it was about is sent again when its time is over.
    return {};
  }
}
