import { failureOf } from '@/components/api/api-failure';
import { openStream } from '@/components/api/get-json';

/** What the work says on its way, one JSON line each, under the names that the server gives them. */
interface Line<Progress, Answer> {
  readonly progress?: Progress;
  readonly answer?: Answer;
  readonly error?: unknown;
}

/**
 * Posts work that takes its time and hears of its progress until the answer is there. Aborting the signal closes the
 * connection, which calls the work off. Throws `ApiFailure`, never anything else but the caller's own abort.
 */
export async function postProgress<Progress, Answer>(
  path: string,
  body: unknown,
  onProgress: (progress: Progress) => void,
  signal: AbortSignal,
): Promise<Answer> {
  const response = await openStream(path, body, signal);
  if (!response.ok) throw failureOf(response.status, await response.json().catch(() => null));
  for await (const text of linesOf(response)) {
    // Page and API come from one build.
    const line = JSON.parse(text) as Line<Progress, Answer>;
    if (line.answer !== undefined) return line.answer;
    if (line.progress === undefined) throw failureOf(response.status, line);
    onProgress(line.progress);
  }
  throw failureOf(response.status, null);
}

async function* linesOf(response: Response): AsyncGenerator<string> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const part = await reader?.read();
    if (part === undefined || part.done) break;
    const lines = (rest + part.value).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}
