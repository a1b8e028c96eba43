import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AnswerWatch } from './answer-watch.js';
import type { Refusal } from './refusal.js';
import type { ResumeGuard } from './resume-guard.js';

/** A handler of `node:http`, Express or the like; what follows `res` is passed on as it came. */
export type NodeHandler<Rest extends unknown[] = unknown[], Result = unknown> = (
  req: IncomingMessage,
  res: ServerResponse,
  ...rest: Rest
) => Result;

/** Request bodies that are read along; a longer one is passed on unread. */
const BODY_BYTES_MAX = 256 * 1024;

/** Guards one request of a Node handler. Returns what the handler returned, undefined when the guard answered. */
export function guardNode<Rest extends unknown[], Result>(
  guard: ResumeGuard,
  handler: NodeHandler<Rest, Result>,
  req: IncomingMessage,
  res: ServerResponse,
  rest: Rest,
): Result | undefined {
  const parsed = parsedBody(req, rest);
  const admission = guard.admit(
    {
      method: req.method ?? 'GET',
      token: headerOf(req, 'mcp-session-id'),
      lastEventId: headerOf(req, 'last-event-id'),
      protocolVersion: headerOf(req, 'mcp-protocol-version'),
    },
    isInitialize(parsed),
  );
  if (admission.kind === 'refuse') {
    req.resume();
    res.writeHead(admission.refusal.status, admission.refusal.headers).end(admission.refusal.body);
    return undefined;
  }
  const { watch, busy, resumeHeaders } = admission;
  addHeadersTo200(res, resumeHeaders);
  if (watch !== null) {
    if (parsed !== undefined) watch.body(parsed);
    else if (req.method === 'POST') readBodyAlong(req, watch);
    watchAnswer(res, watch);
  }
  if (busy !== null) replace409(res, busy);
  return handler(req, res, ...rest);
}

function headerOf(req: IncomingMessage, name: string): string | null {
  const value = req.headers[name];
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

/** Sees the chunks that whoever reads the request is given: every way of reading one ends in its `data` event. */
function readBodyAlong(req: IncomingMessage, watch: AnswerWatch): void {
  const emit = req.emit.bind(req);
  const chunks: Buffer[] = [];
  let bytes = 0;
  req.emit = (event: string | symbol, ...args: unknown[]): boolean => {
    const [chunk] = args;
    if (event === 'data' && Buffer.isBuffer(chunk) && bytes <= BODY_BYTES_MAX) {
      bytes += chunk.length;
      if (bytes <= BODY_BYTES_MAX) chunks.push(chunk);
    }
    if (event === 'end' && bytes > 0 && bytes <= BODY_BYTES_MAX) watch.body(Buffer.concat(chunks).toString());
    return emit(event, ...args);
  };
}

/** Adds headers when, and only when, the handler answers 200. An implicit head goes through `writeHead` too. */
function addHeadersTo200(res: ServerResponse, headers: Readonly<Record<string, string>>): void {
  if (Object.keys(headers).length === 0) return;
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

function watchAnswer(res: ServerResponse, watch: AnswerWatch): void {
  const write = res.write.bind(res) as (...args: unknown[]) => boolean;
  const end = res.end.bind(res) as (...args: unknown[]) => ServerResponse;
  const writeHead = res.writeHead.bind(res) as (...args: unknown[]) => ServerResponse;
  let given: unknown;
  let isHeadTold = false;
  const tellHead = () => {
    if (isHeadTold) return;
    isHeadTold = true;
    watch.head(res.statusCode, (name) => givenHeader(given, name) ?? textHeader(res, name));
  };
  const tellChunk = (chunk: unknown) => {
    if (typeof chunk !== 'string' && !(chunk instanceof Uint8Array)) return;
    tellHead();
    watch.chunk(chunk);
  };
  res.writeHead = (...args: unknown[]): ServerResponse => {
    given = args.at(-1);
    const answer = writeHead(...args);
    tellHead();
    return answer;
  };
  res.write = (...args: unknown[]): boolean => {
    const answer = write(...args);
    tellChunk(args[0]);
    return answer;
  };
  res.end = (...args: unknown[]): ServerResponse => {
    const answer = end(...args);
    tellChunk(args[0]);
    return answer;
  };
  res.once('close', () => {
    if (res.headersSent) tellHead();
    watch.end(res.writableFinished ? 'server' : 'client');
  });
}

/** One header of those that `writeHead` takes: an object, or a flat list of names and values. */
function givenHeader(headers: unknown, name: string): string | null {
  if (headers === null || typeof headers !== 'object') return null;
  if (!Array.isArray(headers)) {
    for (const [key, value] of Object.entries(headers)) if (key.toLowerCase() === name) return String(value);
    return null;
  }
  for (let i = 0; i + 1 < headers.length; i += 2) if (String(headers[i]).toLowerCase() === name) return String(headers[i + 1]);
  return null;
}

function textHeader(res: ServerResponse, name: string): string | null {
  const value = res.getHeader(name);
  return value === undefined ? null : String(value);
}
