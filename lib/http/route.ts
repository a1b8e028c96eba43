import type { IncomingMessage } from 'node:http';
import type { TObject, TSchema } from 'typebox';
import type { AnswerRoom } from '@/lib/http/answer-room';
import type { TakePart } from '@/lib/http/body-pump';
import type { Caller, RouteScope } from '@/lib/http/caller';
import type { ErrorCode } from '@/lib/http/error-codes';
import type { HttpError } from '@/lib/http/http-error';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** One call of a route. */
export interface Call {
  readonly request: IncomingMessage;
  /** Who asks; has the scope of the route. */
  readonly caller: Caller;
  readonly query: URLSearchParams;
  /** Members of the path, decoded: `{id}` in the pattern is `params['id']`. */
  readonly params: Readonly<Record<string, string>>;
  /** The body, decompressed and within the route's limit; throws the coded refusal otherwise. */
  readonly body: () => Promise<RequestBody>;
  /** The same, handed on as it arrives. */
  readonly bodyParts: (take: TakePart) => Promise<void>;
  /** Media type of the body without parameters, lower case. */
  readonly mediaType: string;
  /** For what is known to be answered before the answer is made; the answer itself is held by the router. */
  readonly room: Pick<AnswerRoom, 'hold'>;
}

export interface RequestBody {
  /** Media type without parameters, lower case. */
  readonly mediaType: string;
  readonly bytes: Buffer;
  /** The bytes as UTF-8; throws the coded refusal where they are none. */
  readonly text: string;
}

export interface Answer {
  readonly status: number;
  /** Written as JSON, unless it is text or bytes with a media type of its own. */
  readonly body: unknown;
  readonly mediaType?: string;
  /** A list is one line each, such as cookies. */
  readonly headers?: Readonly<Record<string, string | string[]>>;
  /** Written one after the other as they come, in place of a body. */
  readonly lines?: AsyncIterable<string>;
}

/** A route: how it is found, what the OpenAPI document says of it, and what it does. */
export interface Route {
  readonly method: Method;
  /** Members in braces match one segment: `/api/v1/attempts/{id}`. */
  readonly path: string;
  readonly summary: string;
  /** What the caller must be allowed to do; unless given, `read` for GET and `admin` for everything else. */
  readonly scope?: RouteScope;
  readonly query?: TObject;
  /** Media types that the body may have, each with its schema. */
  readonly body?: Readonly<Record<string, TSchema>>;
  /** Bytes of the body after decompression, 1 MiB unless given. */
  readonly bodyBytesMax?: number;
  /** Schemas of the answers by status; a string is the media type of an answer that is not JSON. */
  readonly answers: Readonly<Record<number, TSchema | string>>;
  /** Codes that the route itself may refuse with, beyond those that any route may. */
  readonly errors?: readonly ErrorCode[];
  /** How a refusal of any kind is written, where a protocol has its own form; unless given, as our coded JSON. */
  readonly refusal?: (request: IncomingMessage, error: HttpError) => Answer;
  readonly handle: (call: Call) => Promise<Answer> | Answer;
}

/** The scope that a route asks its caller for. */
export function scopeOf(route: Route): RouteScope {
  return route.scope ?? (route.method === 'GET' ? 'read' : 'admin');
}

/** A whole answer of status 200. */
export function ok(body: unknown): Answer {
  return { status: 200, body };
}
