import { setImmediate } from 'node:timers/promises';
import { type AnswerWatch, parsed } from './answer-watch.js';
import { type CopiedBody, copyBody } from './copied-body.js';
import type { Refusal } from './refusal.js';
import type { ResumeGuard } from './resume-guard.js';

/** A handler of the web platform, as `WebStandardStreamableHTTPServerTransport.handleRequest` is one. */
export type WebHandler<Rest extends unknown[] = unknown[]> = (request: Request, ...rest: Rest) => Response | Promise<Response>;

/** Guards one request of a web handler. */
export async function guardWeb<Rest extends unknown[]>(
  guard: ResumeGuard,
  handler: WebHandler<Rest>,
  request: Request,
  rest: Rest,
): Promise<Response> {
  const token = request.headers.get('mcp-session-id');
  const given = parsedBody(rest);
  const copy = given === undefined ? copyBody(request) : null;
  // Only a fenced session is let go on by what its body asks for; no other request waits for its body here.
  const body = copy !== null && guard.isFenced(token) ? parsed(await copy.bytes) : given;
  const admission = guard.admit(
    {
      method: request.method,
      token,
      lastEventId: request.headers.get('last-event-id'),
      protocolVersion: request.headers.get('mcp-protocol-version'),
    },
    body !== null && typeof body === 'object' && 'method' in body && body.method === 'initialize',
  );
  if (admission.kind === 'refuse') {
    copy?.leave();
    const { status, headers, body: text } = admission.refusal;
    return new Response(text, { status, headers });
  }
  const { watch, busy, resumeHeaders } = admission;
  const answered = async () => {
    const answer = await inPlaceOf409(busy, await handler(request, ...rest));
    const headers = new Headers(answer.headers);
    if (answer.status === 200) for (const [name, value] of Object.entries(resumeHeaders ?? {})) headers.set(name, value);
    return { answer, headers };
  };
  if (watch === null) {
    copy?.leave();
    const { answer, headers } = await answered();
    return withBody(answer, headers, answer.body);
  }
  return watched(new WatchedExchange(watch, given, copy), answered);
}

/** What is told of one exchange: its request's body when it has come, and its end once, however it ends. */
class WatchedExchange {
  /** Resolves when the body is told, or is not going to be. */
  readonly #bodyTold: Promise<void> | null;

  constructor(
    readonly watch: AnswerWatch,
    given: unknown,
    private readonly copy: CopiedBody | null,
  ) {
    if (given !== undefined) watch.body(given);
    this.#bodyTold = copy?.bytes.then((bytes) => (bytes === null ? undefined : watch.body(bytes))) ?? null;
  }

  /** Resolves when the body is told where it has come: a handler that has read it has it no sooner than its copy. */
  async bodyCame(): Promise<void> {
    if (this.#bodyTold !== null) await Promise.race([this.#bodyTold, setImmediate()]);
  }

  end(by: 'client' | 'server'): void {
    this.copy?.leave();
    this.watch.end(by);
  }
}

async function watched(
  exchange: WatchedExchange,
  answered: () => Promise<{ readonly answer: Response; readonly headers: Headers }>,
): Promise<Response> {
  try {
    const { answer, headers } = await answered();
    await exchange.bodyCame();
    const response = withBody(answer, headers, answer.body === null ? null : tapped(answer.body, exchange));
    // Nothing can fail any more, and no byte has been read yet.
    exchange.watch.head(answer.status, { header: (name) => headers.get(name) });
    if (answer.body === null) exchange.end('server');
    return response;
  } catch (cause) {
    // A handler that fails has no answer whose end could be seen.
    await exchange.bodyCame();
    exchange.end('server');
    throw cause;
  }
}

function withBody({ status, statusText }: Response, headers: Headers, body: ReadableStream<Uint8Array> | null): Response {
  return new Response(body, { status, statusText, headers });
}

async function inPlaceOf409(busy: Refusal | null, answer: Response): Promise<Response> {
  if (busy === null || answer.status !== busy.status) return answer;
  await answer.body?.cancel();
  return new Response(busy.body, { status: busy.status, headers: busy.headers });
}

/** Passes bytes through and tells of them; the client's leaving reaches the handler's stream as it did before. */
function tapped(body: ReadableStream<Uint8Array>, exchange: WatchedExchange): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await reader.read().catch((cause: unknown) => {
        exchange.end('server');
        throw cause;
      });
      if (done) {
        exchange.end('server');
        controller.close();
        return;
      }
      controller.enqueue(value);
      exchange.watch.chunk(value);
    },
    async cancel(reason) {
      exchange.end('client');
      await reader.cancel(reason);
    },
  });
}

/** A body that was parsed before comes as `parsedBody` of the options. */
function parsedBody([options]: readonly unknown[]): unknown {
  return options !== null && typeof options === 'object' && 'parsedBody' in options ? options.parsedBody : undefined;
}
