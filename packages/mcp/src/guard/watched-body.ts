import type { IncomingMessage } from 'node:http';
import type { AnswerWatch } from './answer-watch.js';
import { BodyBytes } from './body-bytes.js';

const BODY = Symbol('tidemark.body');

type Push = (chunk: unknown, encoding?: BufferEncoding) => boolean;
type WatchedRequest = IncomingMessage & { [BODY]?: BodyWatch; push: Push };

/** Collects the body of a request for its watch, as far as it is within the bound. */
class BodyWatch {
  readonly #bytes = new BodyBytes();

  constructor(
    private readonly watch: AnswerWatch,
    /** How the request took its bytes before. */
    readonly push: Push,
  ) {}

  take(chunk: unknown): void {
    if (chunk === null) this.#end();
    else if (Buffer.isBuffer(chunk)) this.#bytes.add(chunk);
  }

  #end(): void {
    const bytes = this.#bytes.take();
    if (bytes !== null) this.watch.body(bytes);
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
