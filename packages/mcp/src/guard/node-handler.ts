import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AnswerWatch } from './answer-watch.js';
import type { Refusal } from './refusal.js';
import type { ResumeGuard } from './resume-guard.js';
import { watchAnswer } from './watched-answer.js';
import { watchBody } from './watched-body.js';

/** A handler of `node:http`, Express or the like; what follows `res` is passed on as it came. */
export type NodeHandler<Rest extends unknown[] = unknown[], Result = unknown> = (
  req: IncomingMessage,
  res: ServerResponse,
  ...rest: Rest
) => Result;

/** Guards one request of a Node handler. Returns what the handler returned, undefined when the guard answered. */
export function guardNode<Rest extends unknown[], Result>(
  guard: ResumeGuard,
  handler: NodeHandler<Rest, Result>,
  req: IncomingMessage,
  res: ServerResponse,
  rest: Rest,
): Result | undefined {
  const parsed = parsedBody(req, rest);
  const { headers } = req;
  const admission = guard.admit(
    {
      method: req.method ?? 'GET',
      token: one(headers['mcp-session-id']),
      lastEventId: one(headers['last-event-id']),
      protocolVersion: one(headers['mcp-protocol-version']),
    },
    isInitialize(parsed),
  );
  if (admission.kind === 'refuse') {
    req.resume();
    res.writeHead(admission.refusal.status, admission.refusal.headers).end(admission.refusal.body);
    return undefined;
  }
  const { watch, busy, resumeHeaders } = admission;
  if (resumeHeaders !== null) addHeadersTo200(res, resumeHeaders);
  if (watch !== null) {
    if (parsed !== undefined) watch.body(parsed);
    else if (req.method === 'POST') watchBody(req, watch);
    watchAnswer(res, watch);
  }
  if (busy !== null) replace409(res, busy);
  // Of an answer that is closed already no close will be seen: its client left before the guard was asked.
  return watch !== null && res.closed ? handledForNobody(watch, () => handler(req, res, ...rest)) : handler(req, res, ...rest);
}

/** Ends the watch with the handler, whatever comes of it; a rejection that its caller leaves alone stays an unhandled one. */
function handledForNobody<Result>(watch: AnswerWatch, handle: () => Result): Result {
  const end = () => watch.end('client');
  try {
    const result = handle();
    if (result instanceof Promise) return result.finally(end) as Result;
    void Promise.resolve(result).then(end, end);
    return result;
  } catch (cause) {
    end();
    throw cause;
  }
}

/** A header of a request, the first one where there are several. */
function one(value: string | string[] | undefined): string | null {
  return Array.isArray(value) ? (value[0] ?? null) : (value ?? null);
}

/** A body that was parsed before this handler: Express leaves it on the request, the SDK takes it as third argument. */
function parsedBody(req: IncomingMessage & { body?: unknown }, rest: readonly unknown[]): unknown {
  const [third] = rest;
  if (req.body !== undefined && req.body !== null && typeof req.body === 'object') return req.body;
  return third !== null && typeof third === 'object' ? third : undefined;
}

function isInitialize(body: unknown): boolean {
  return body !== null && typeof body === 'object' && 'method' in body && body.method === 'initialize';
}

/** Adds headers when, and only when, the handler answers 200. An implicit head goes through `writeHead` too. */
function addHeadersTo200(res: ServerResponse, headers: Readonly<Record<string, string>>): void {
  const writeHead = res.writeHead.bind(res) as (...args: unknown[]) => ServerResponse;
  res.writeHead = (...args: unknown[]): ServerResponse => {
    if (args[0] === 200) for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
    return writeHead(...args);
  };
}

/** Answers a 409 of the handler in its place; what the handler goes on to write is taken and left out. */
function replace409(res: ServerResponse, busy: Refusal): void {
  const writeHead = res.writeHead.bind(res) as (...args: unknown[]) => ServerResponse;
  const write = res.write.bind(res) as (...args: unknown[]) => boolean;
  const end = res.end.bind(res) as (...args: unknown[]) => ServerResponse;
  let isReplaced = false;
  const replace = () => {
    isReplaced = true;
    for (const name of res.getHeaderNames()) res.removeHeader(name);
    writeHead(busy.status, busy.headers);
    end(busy.body);
  };
  // A head that was never written is implied by the first byte of the body, too late to be replaced then.
  const isTaken = (args: readonly unknown[]): boolean => {
    if (!isReplaced && !res.headersSent && res.statusCode === busy.status) replace();
    if (isReplaced) callBack(args);
    return isReplaced;
  };
  res.writeHead = (...args: unknown[]): ServerResponse => {
    if (args[0] !== busy.status) return writeHead(...args);
    replace();
    return res;
  };
  res.write = (...args: unknown[]): boolean => isTaken(args) || write(...args);
  res.end = (...args: unknown[]): ServerResponse => (isTaken(args) ? res : end(...args));
}

function callBack(args: readonly unknown[]): void {
  const last = args.at(-1);
  if (typeof last === 'function') last();
}
