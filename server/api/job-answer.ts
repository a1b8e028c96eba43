import { HttpError } from '@/lib/http/http-error';
import type { Answer, Call } from '@/lib/http/route';
import { jobLines, whileConnected } from '@/lib/http/stream-lines';

export const NDJSON = 'application/x-ndjson';

/**
 * The answer of work that takes its time: JSON once it is done, or with `accept: application/x-ndjson` its progress line by line
 * and then the answer. The work is called off when its caller goes away. What is refused before any progress is refused by its status.
 *
 * @throws what the work throws before it has told anything
 */
export async function progressAnswer(
  { request, room }: Call,
  work: (tell: (progress: unknown) => void, signal: AbortSignal) => Promise<string>,
): Promise<Answer> {
  if (!(request.headers.accept ?? '').includes(NDJSON)) {
    const body = await whileConnected(request, (signal) => work(() => undefined, signal));
    return { status: 200, body, mediaType: 'application/json' };
  }
  const told = async (tell: (progress: unknown) => void): Promise<string> => {
    const answer = await whileConnected(request, (signal) => work(tell, signal));
    room.hold(Buffer.byteLength(answer));
    return answer;
  };
  const lines = jobLines(told, errorBody);
  const first = await lines.next();
  return { status: 200, body: null, mediaType: NDJSON, lines: first.done === true ? lines : withFirst(first.value, lines) };
}

async function* withFirst(first: string, rest: AsyncIterable<string>): AsyncGenerator<string> {
  yield first;
  yield* rest;
}

const errorBody = (cause: unknown): unknown =>
  cause instanceof HttpError ? cause.body : new HttpError('internal', 'an unexpected error').body;
