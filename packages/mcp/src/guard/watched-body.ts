import type { IncomingMessage } from 'node:http';
import type { AnswerWatch } from './answer-watch.js';

/** Request bodies that are read along; a longer one is passed on unread. */
const BODY_BYTES_MAX = 256 * 1024;
/** A chunk that is a part of a larger piece of memory than this would keep all of it for as long as its call takes. */
const SHARED_BYTES_MAX = 4096;

const BODY = Symbol('tidemark.body');

type Push = (chunk: unknown, encoding?: BufferEncoding) => boolean;
type WatchedRequest = IncomingMessage & { [BODY]?: BodyWatch; push: Push };

/** Collects the body of a request for its watch, as far as it is within the bound. */
class BodyWatch {
  #first: Buffer | null = null;
  #more: Buffer[] | null = null;
  #bytes = 0;

  constructor(
    private readonly watch: AnswerWatch,
    /** How the request took its bytes before. */
    readonly push: Push,
  ) {}

  take(chunk: unknown): void {
    if (chunk === null) this.#end();
    else if (Buffer.isBuffer(chunk) && this.#bytes <= BODY_BYTES_MAX) {
      this.#bytes += chunk.length;
      if (this.#bytes > BODY_BYTES_MAX) this.#more = null;
      else if (this.#first === null) this.#first = chunk.buffer.byteLength > SHARED_BYTES_MAX ? Buffer.from(chunk) : chunk;
      else this.#more = [...(this.#more ?? []), Buffer.from(chunk)];
    }
  }

  #end(): void {
    if (this.#first === null || this.#bytes > BODY_BYTES_MAX) return;
    this.watch.body(this.#more === null ? this.#first : Buffer.concat([this.#first, ...this.#more]));
    this.#first = null;
    this.#more = null;
  }
}

/** Reads a request's body along while whoever handles the request reads it, in whatever way. */
export function watchBody(req: IncomingMessage, watch: AnswerWatch): void {
  const request = req as WatchedRequest;
  if (request.readableLength > 0 || BODY in request) {
    watchData(req, new BodyWatch(watch, request.push));
    return;
  }
  request[BODY] = new BodyWatch(watch, request.push);
  request.push = push;
}

/** Where the parser puts the bytes of a body, before anybody reads them. */
function push(this: WatchedRequest, chunk: unknown, encoding?: BufferEncoding): boolean {
  const body = this[BODY];
  if (body === undefined) return false;
  body.take(chunk);
  return body.push.call(this, chunk, encoding);
}

/** Of a body that has begun to come, what its reader is given: every way of reading ends in the `data` event. */
function watchData(req: IncomingMessage, body: BodyWatch): void {
  const emit = req.emit.bind(req);
  req.emit = (event: string | symbol, ...args: unknown[]): boolean => {
    if (event === 'data') body.take(args[0]);
    else if (event === 'end') body.take(null);
    return emit(event, ...args);
  };
}
