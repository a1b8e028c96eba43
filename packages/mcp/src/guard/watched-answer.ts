import type { ServerResponse } from 'node:http';
import { type AnswerHead, type AnswerWatch, both } from './answer-watch.js';

const ANSWER = Symbol('tidemark.answer');

type Method<Result> = (...args: unknown[]) => Result;
type WatchedResponse = ServerResponse & {
  [ANSWER]?: WatchedAnswer;
  writeHead: Method<WatchedResponse>;
  write: Method<boolean>;
  end: Method<WatchedResponse>;
};

/** What is known of an answer while it goes out, and the methods that it had. */
class WatchedAnswer implements AnswerHead {
  given: unknown;
  #isHeadTold = false;
  readonly writeHead: Method<WatchedResponse>;
  readonly write: Method<boolean>;
  readonly end: Method<WatchedResponse>;

  constructor(
    private readonly res: WatchedResponse,
    public watch: AnswerWatch,
  ) {
    this.writeHead = res.writeHead;
    this.write = res.write;
    this.end = res.end;
  }

  header(name: string): string | null {
    const given = givenHeader(this.given, name);
    if (given !== null) return given;
    const value = this.res.getHeader(name);
    return value === undefined ? null : String(value);
  }

  tellHead(): void {
    if (this.#isHeadTold) return;
    this.#isHeadTold = true;
    this.watch.head(this.res.statusCode, this);
  }

  tellChunk(chunk: unknown): void {
    if (typeof chunk !== 'string' && !(chunk instanceof Uint8Array)) return;
    this.tellHead();
    this.watch.chunk(chunk);
  }
}

/**
 * Watches an answer through the methods that write it. They are shared by all answers: what belongs to one is
 * looked up on it, so that watching a request makes no functions.
 */
export function watchAnswer(res: ServerResponse, watch: AnswerWatch): void {
  const watched = res as WatchedResponse;
  const before = watched[ANSWER];
  if (before !== undefined) {
    before.watch = both(before.watch, watch);
    return;
  }
  watched[ANSWER] = new WatchedAnswer(watched, watch);
  watched.writeHead = writeHead;
  watched.write = write;
  watched.end = end;
  watched.on('close', closed);
}

// With as many arguments as came, and without a list of them: a list would cost more than all else that is done here.

function writeHead(this: WatchedResponse, status: unknown, reason?: unknown, headers?: unknown): WatchedResponse {
  const answer = this[ANSWER];
  if (answer === undefined) return this;
  answer.given = headers ?? reason;
  const result = headers === undefined ? answer.writeHead.call(this, status, reason) : answer.writeHead.call(this, status, reason, headers);
  answer.tellHead();
  return result;
}

function write(this: WatchedResponse, chunk: unknown, encoding?: unknown, done?: unknown): boolean {
  const answer = this[ANSWER];
  if (answer === undefined) return false;
  const isPlain = encoding === undefined && done === undefined;
  const result = isPlain ? answer.write.call(this, chunk) : answer.write.call(this, chunk, encoding, done);
  answer.tellChunk(chunk);
  return result;
}

function end(this: WatchedResponse, chunk?: unknown, encoding?: unknown, done?: unknown): WatchedResponse {
  const answer = this[ANSWER];
  if (answer === undefined) return this;
  const isPlain = encoding === undefined && done === undefined;
  const result = isPlain ? answer.end.call(this, chunk) : answer.end.call(this, chunk, encoding, done);
  answer.tellChunk(chunk);
  return result;
}

function closed(this: WatchedResponse): void {
  const answer = this[ANSWER];
  if (this.headersSent) answer?.tellHead();
  answer?.watch.end(this.writableFinished ? 'server' : 'client');
}

/** One header of those that `writeHead` takes: an object, or a flat list of names and values. */
function givenHeader(headers: unknown, name: string): string | null {
  if (headers === null || typeof headers !== 'object') return null;
  if (Array.isArray(headers)) return listedHeader(headers, name);
  const exact: unknown = Reflect.get(headers, name);
  if (exact !== undefined) return String(exact);
  for (const [key, value] of Object.entries(headers)) if (key.toLowerCase() === name) return String(value);
  return null;
}

function listedHeader(headers: readonly unknown[], name: string): string | null {
  for (let i = 0; i + 1 < headers.length; i += 2) if (String(headers[i]).toLowerCase() === name) return String(headers[i + 1]);
  return null;
}
