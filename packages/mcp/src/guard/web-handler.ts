import type { AnswerWatch } from './answer-watch.js';
import type { Refusal } from './refusal.js';
import type { ResumeGuard } from './resume-guard.js';

/** A handler of the web platform, as `WebStandardStreamableHTTPServerTransport.handleRequest` is one. */
export type WebHandler<Rest extends unknown[] = unknown[]> = (request: Request, ...rest: Rest) => Response | Promise<Response>;

const BODY_LENGTH_MAX = 256 * 1024;

/** Guards one request of a web handler. */
export async function guardWeb<Rest extends unknown[]>(
  guard: ResumeGuard,
  handler: WebHandler<Rest>,
  request: Request,
  rest: Rest,
): Promise<Response> {
  const body = await bodyOf(request, rest);
  const admission = guard.admit(
    {
      method: request.method,
      token: request.headers.get('mcp-session-id'),
      lastEventId: request.headers.get('last-event-id'),
      protocolVersion: request.headers.get('mcp-protocol-version'),
    },
    body !== null && typeof body === 'object' && 'method' in body && body.method === 'initialize',
  );
  if (admission.kind === 'refuse') {
    const { status, headers, body: text } = admission.refusal;
    return new Response(text, { status, headers });
  }
  const { watch, busy, resumeHeaders } = admission;
  if (body !== undefined) watch?.body(body);
  const answer = await inPlaceOf409(busy, await handler(request, ...rest));
  const headers = new Headers(answer.headers);
  if (answer.status === 200) for (const [name, value] of Object.entries(resumeHeaders ?? {})) headers.set(name, value);
  watch?.head(answer.status, { header: (name) => headers.get(name) });
  if (answer.body === null) {
    watch?.end('server');
    return new Response(null, { status: answer.status, statusText: answer.statusText, headers });
  }
  const passed = watch === null ? answer.body : tapped(answer.body, watch);
  return new Response(passed, { status: answer.status, statusText: answer.statusText, headers });
}

async function inPlaceOf409(busy: Refusal | null, answer: Response): Promise<Response> {
  if (busy === null || answer.status !== busy.status) return answer;
  await answer.body?.cancel();
  return new Response(busy.body, { status: busy.status, headers: busy.headers });
}

/** Passes bytes through and tells of them; the client's leaving reaches the handler's stream as it did before. */
function tapped(body: ReadableStream<Uint8Array>, watch: AnswerWatch): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await reader.read().catch((cause: unknown) => {
        watch.end('server');
        throw cause;
      });
      if (done) {
        watch.end('server');
        controller.close();
        return;
      }
      controller.enqueue(value);
      watch.chunk(value);
    },
    async cancel(reason) {
      watch.end('client');
      await reader.cancel(reason);
    },
  });
}

/** The request's JSON, from a copy; a body that was parsed before comes as `parsedBody` of the options. */
async function bodyOf(request: Request, rest: readonly unknown[]): Promise<unknown> {
  const [options] = rest;
  if (options !== null && typeof options === 'object' && 'parsedBody' in options && options.parsedBody !== undefined)
    return options.parsedBody;
  const length = Number(request.headers.get('content-length') ?? Number.NaN);
  if (request.method !== 'POST' || request.bodyUsed || !(length <= BODY_LENGTH_MAX)) return undefined;
  try {
    return await request.clone().json();
  } catch {
    // A body that is no JSON has no facts; the handler answers for it.
    return undefined;
  }
}
