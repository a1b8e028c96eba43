import type { IncomingMessage, ServerResponse } from 'node:http';
import { AnswerRoom } from '@/lib/http/answer-room';
import { ByteBudget, type ByteLease } from '@/lib/http/byte-budget';
import { type Caller, type Guard, requireScope } from '@/lib/http/caller';
import { HttpError } from '@/lib/http/http-error';
import { mediaTypeOf, readBody, readParts, refuseBody } from '@/lib/http/read-body';
import { type Answer, type Call, type Route, scopeOf } from '@/lib/http/route';
import { streamText } from '@/lib/http/stream-text';
import { UntakenAnswers } from '@/lib/http/untaken-answers';

const BODY_BYTES_MAX = 1024 * 1024;
/** Telemetry of all requests together, decompressed, and as much again for everything else; beyond it senders are asked to wait. */
const BODIES_BYTES_MAX = 256 * 1024 * 1024;
/** Answers that wait for their readers, all together. */
const ANSWERS_BYTES_MAX = 256 * 1024 * 1024;
/** What every connection may have waiting: about as much as the system takes at once. */
const ANSWER_BYTES_FREE = 16 * 1024;
const JSON_TYPE = 'application/json';

export interface RouterParts {
  readonly routes: readonly Route[];
  /** Asked before every route. */
  readonly guard: Guard;
  /** Turns errors of other layers into coded ones; null is an unexpected error. */
  readonly codedError: (cause: unknown) => HttpError | null;
  /** Time that a sender may take for a body, 60 s unless given. */
  readonly bodyMsMax?: number;
  /** Time after which an answer of which nothing is taken is given up, 120 s unless given. */
  readonly answerMsMax?: number;
  /** Told of errors that nobody expected. */
  readonly onUnexpected: (cause: unknown, request: IncomingMessage) => void;
  /** Told of every answer: the route's path as it is written in the table, null where none matched. */
  readonly onAnswer?: (route: string | null, status: number) => void;
}

/** Finds the route of a request, runs it and writes its answer; every failure becomes one coded JSON error. */
export class Router {
  readonly #parts: RouterParts;
  readonly #telemetry = new ByteBudget(BODIES_BYTES_MAX);
  readonly #others = new ByteBudget(BODIES_BYTES_MAX);
  readonly #answers = new ByteBudget(ANSWERS_BYTES_MAX);
  readonly #untaken: UntakenAnswers;
  readonly #byPath = new Map<string, Route[]>();
  readonly #patterns: { readonly pattern: RegExp; readonly routes: Route[] }[] = [];

  constructor(parts: RouterParts) {
    this.#parts = parts;
    this.#untaken = new UntakenAnswers(parts.answerMsMax);
    for (const route of parts.routes) {
      const routes = this.#byPath.get(route.path) ?? [];
      if (routes.length === 0 && route.path.includes('{')) this.#patterns.push({ pattern: patternOf(route.path), routes });
      routes.push(route);
      this.#byPath.set(route.path, routes);
    }
  }

  /** Answers the request, whatever it is. Never rejects. */
  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const over = this.#untaken.watch(request, response);
    let path: string | null = null;
    let answer: Answer;
    let found: Route | undefined;
    let lease: ByteLease | null = null;
    try {
      const url = urlOf(request);
      const { routes, params } = this.#routesAt(url.pathname);
      const method = request.method === 'HEAD' ? 'GET' : request.method;
      found = routes.find((candidate) => candidate.method === method);
      // Who does not say who they are is not told what there is.
      const caller = await this.#parts.guard(request, found === undefined ? 'read' : scopeOf(found));
      const route = found ?? refuseUnknown(routes, url.pathname, response);
      requireScope(caller, scopeOf(route));
      path = route.path;
      lease = this.#leaseFor(caller, route);
      const room = new AnswerRoom(this.#answers, caller.id, scopeOf(route) === 'ingest' ? 'intake_full' : 'busy');
      // What is still read for a caller who is gone must find it closed, however the request ends.
      void over.then(() => room.close());
      const readers = bodyReaders(request, route, { lease, msMax: this.#parts.bodyMsMax });
      const call = { request, caller, query: url.searchParams, params, mediaType: mediaTypeOf(request), room, ...readers };
      answer = encoded(await route.handle(call), room);
    } catch (cause) {
      answer = this.#errorAnswer(cause, request, found);
    } finally {
      lease?.release();
    }
    this.#parts.onAnswer?.(path, answer.status);
    await writeAnswer(request, response, answer, over);
  }

  /** Senders share the room for telemetry, whichever door they use; what is asked is not held up by it. */
  #leaseFor(caller: Caller, route: Route): ByteLease {
    return scopeOf(route) === 'ingest' ? this.#telemetry.lease(caller.id) : this.#others.lease(`${caller.id} ${route.path}`);
  }

  #routesAt(pathname: string): { routes: readonly Route[]; params: Record<string, string> } {
    const exact = this.#byPath.get(pathname);
    if (exact !== undefined && !pathname.includes('{')) return { routes: exact, params: {} };
    for (const { pattern, routes } of this.#patterns) {
      const groups = pattern.exec(pathname)?.groups;
      if (groups !== undefined) return { routes, params: decodeParams(groups) };
    }
    return { routes: [], params: {} };
  }

  #errorAnswer(cause: unknown, request: IncomingMessage, route: Route | undefined): Answer {
    const coded = cause instanceof HttpError ? cause : this.#parts.codedError(cause);
    if (coded === null) this.#parts.onUnexpected(cause, request);
    const error = coded ?? new HttpError('internal', 'an unexpected error');
    if (route?.refusal !== undefined) return route.refusal(request, error);
    return { status: error.status, body: error.body, headers: { 'cache-control': 'no-store', ...error.headers } };
  }
}

function refuseUnknown(routes: readonly Route[], pathname: string, response: ServerResponse): never {
  const path = pathname.slice(0, 200);
  if (routes.length === 0) throw new HttpError('not_found', `there is no ${path}`);
  const allow = routes.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ');
  response.setHeader('allow', allow);
  throw new HttpError('method_not_allowed', `${path} takes ${allow}`);
}

/** Both ways to read the body; a body of a type that the route does not take is refused. */
function bodyReaders(
  request: IncomingMessage,
  route: Route,
  { lease, msMax }: { readonly lease: ByteLease; readonly msMax: number | undefined },
): Pick<Call, 'body' | 'bodyParts'> {
  const limits = { bytesMax: route.bodyBytesMax ?? BODY_BYTES_MAX, lease, ...(msMax === undefined ? {} : { msMax }) };
  const mediaTypes = Object.keys(route.body ?? {});
  const isTaken = mediaTypes.includes(mediaTypeOf(request));
  const wrongType = () => new HttpError('unsupported_media_type', `the content type must be ${mediaTypes.join(' or ')}`);
  return {
    body: async () => {
      const body = await readBody(request, limits);
      if (isTaken) return body;
      throw wrongType();
    },
    bodyParts: (take) => (isTaken ? readParts(request, limits, take) : refuseBody(request, wrongType())),
  };
}

/** The answer with its body as it is written, for which there is room. */
function encoded(answer: Answer, room: AnswerRoom): Answer {
  if (answer.lines !== undefined) return answer;
  const content = contentOf(answer);
  const bytes = Buffer.byteLength(content);
  room.settle(bytes > ANSWER_BYTES_FREE ? bytes : 0);
  return { mediaType: JSON_TYPE, ...answer, body: content };
}

/** @param over resolves when nobody reads the answer any more */
async function writeAnswer(request: IncomingMessage, response: ServerResponse, answer: Answer, over: Promise<void>): Promise<void> {
  if (response.destroyed || response.headersSent) return;
  const { status, mediaType, headers, lines } = answer;
  const content = lines === undefined ? contentOf(answer) : null;
  response.writeHead(status, {
    'content-type': mediaType ?? (lines === undefined ? JSON_TYPE : 'application/x-ndjson'),
    ...(content === null ? {} : { 'content-length': Buffer.byteLength(content) }),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...headers,
  });
  // What is left of a body that no route asked for must not stand in the way of the next request.
  if (!request.complete) request.resume();
  if (request.method === 'HEAD') response.end();
  else if (lines !== undefined) await streamText(response, lines, over);
  else if (content !== null && content.length <= ANSWER_BYTES_FREE) response.end(content);
  else if (content !== null) await streamText(response, [content], over);
}

function contentOf({ mediaType, body }: Answer): string | Uint8Array {
  if (mediaType === undefined) return JSON.stringify(body);
  return body instanceof Uint8Array ? body : String(body);
}

function urlOf(request: IncomingMessage): URL {
  const target = `http://edge${request.url ?? '/'}`;
  if (!URL.canParse(target)) throw new HttpError('not_found', 'the request target is not a path');
  return new URL(target);
}

function patternOf(path: string): RegExp {
  const source = path.replaceAll(/[.]/g, '\\.').replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)');
  return new RegExp(`^${source}$`);
}

function decodeParams(groups: Record<string, string>): Record<string, string> {
  try {
    return Object.fromEntries(Object.entries(groups).map(([name, text]) => [name, decodeURIComponent(text)]));
  } catch (cause) {
    throw new HttpError('not_found', 'the path is not valid percent-encoding', { cause });
  }
}
