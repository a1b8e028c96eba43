import type { IncomingMessage, ServerResponse } from 'node:http';
import type { SessionEventLog } from '../log/session-event-log.js';
import { observerOf, type Tidemark } from '../tidemark.js';
import type { FloorRule } from '../verdict/facts.js';
import { guardNode, type NodeHandler } from './node-handler.js';
import { type RefusalStyle, ResumeGuard } from './resume-guard.js';
import { guardWeb, type WebHandler } from './web-handler.js';

export interface GuardResumeOptions {
  /** Reports every attempt, request and connection; knows the cursors of the stores that it wraps. */
  readonly tidemark?: Tidemark;
  /** The log of a session, by its token; undefined where there is no such session. Asked before the stores. */
  readonly log?: (sessionId: string) => SessionEventLog | undefined;
  /** @defaultValue `successor` */
  readonly floor?: FloorRule;
  /**
   * `status` answers with the HTTP status. `terminal_error` and `auto` answer a cursor of a stream whose call is
   * still pending with 200 and one event, an error response to that call, and any other cursor with the status.
   *
   * @defaultValue `status`
   */
  readonly refusal?: RefusalStyle;
  /** False watches and reports without ever refusing. @defaultValue true */
  readonly enforce?: boolean;
  /** Learns event ids from what is delivered, for a server whose store cannot be wrapped. @defaultValue false */
  readonly learnFromWire?: boolean;
}

/**
 * Wraps the HTTP handler of an MCP endpoint so that a cursor is served only when everything after it can be:
 * any other is answered with 404, 409 or 400 and a body that says why, before the handler sees it. An event
 * store has no way to say that. Wrap every method of the endpoint: the POSTs tell which client speaks.
 *
 * @throws TypeError when neither `tidemark` nor `log` is given.
 */
export function guardResume<Rest extends unknown[], Result>(
  handler: NodeHandler<Rest, Result>,
  options: GuardResumeOptions,
): NodeHandler<Rest, Result | undefined>;
export function guardResume<Rest extends unknown[]>(
  handler: WebHandler<Rest>,
  options: GuardResumeOptions,
): (request: Request, ...rest: Rest) => Promise<Response>;
export function guardResume(handler: unknown, options: GuardResumeOptions): unknown {
  if (options.tidemark === undefined && options.log === undefined) throw new TypeError('guardResume needs tidemark, log, or both');
  const guard = new ResumeGuard({
    observer: options.tidemark === undefined ? null : observerOf(options.tidemark),
    log: options.log,
    floorRule: options.floor ?? 'successor',
    enforce: options.enforce ?? true,
    refusal: options.refusal ?? 'status',
    learnFromWire: options.learnFromWire ?? false,
  });
  return (first: IncomingMessage | Request, second?: unknown, ...rest: unknown[]): unknown =>
    isWebRequest(first)
      ? guardWeb(guard, handler as WebHandler, first, second === undefined && rest.length === 0 ? rest : [second, ...rest])
      : guardNode(guard, handler as NodeHandler, first, second as ServerResponse, rest);
}

/** By shape: a framework may bring a `Request` of its own. */
function isWebRequest(request: IncomingMessage | Request): request is Request {
  return typeof request.headers.get === 'function';
}
