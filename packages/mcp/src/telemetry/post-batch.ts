import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

const gzipAsync = promisify(gzip);
/** Below this size compression costs more than it saves. */
const GZIP_FROM_BYTES = 8 * 1024;
const ANSWER_BYTES_MAX = 256 * 1024;
const RETRY_AFTER_SECONDS_MAX = 60;

/** What the intake said about one batch. */
export type PostOutcome =
  | { readonly kind: 'stored'; readonly rejected: number; readonly firstProblem: string | null }
  | { readonly kind: 'retry'; readonly afterMs: number; readonly message: string }
  | { readonly kind: 'too_large' }
  | { readonly kind: 'refused'; readonly message: string };

export interface PostTarget {
  readonly endpoint: URL;
  readonly key: string | undefined;
  readonly timeoutMs: number;
  /** Records dropped so far in all; the intake is told, so that it can know its history to be incomplete. */
  readonly dropped: number;
}

/** Sends one NDJSON batch. Never throws: every failure is an outcome. */
export async function postBatch(target: PostTarget, lines: readonly string[], signal: AbortSignal): Promise<PostOutcome> {
  try {
    const text = `${lines.join('\n')}\n`;
    const isLarge = text.length >= GZIP_FROM_BYTES;
    const response = await fetch(target.endpoint, {
      method: 'POST',
      redirect: 'error',
      headers: {
        'content-type': 'application/x-ndjson',
        'tidemark-dropped': String(target.dropped),
        ...(isLarge ? { 'content-encoding': 'gzip' } : {}),
        ...(target.key === undefined ? {} : { authorization: `Bearer ${target.key}` }),
      },
      body: isLarge ? await gzipAsync(text) : text,
      signal: AbortSignal.any([signal, AbortSignal.timeout(target.timeoutMs)]),
    });
    const answer = await readBounded(response);
    return outcomeOf(response, answer);
  } catch (cause) {
    return { kind: 'retry', afterMs: 0, message: cause instanceof Error ? cause.message : String(cause) };
  }
}

function outcomeOf(response: Response, answer: string): PostOutcome {
  if (response.ok) return { kind: 'stored', ...rejections(answer) };
  if (response.status === 413) return { kind: 'too_large' };
  const message = `intake answered ${response.status}: ${answer.slice(0, 200)}`;
  if (response.status < 500 && response.status !== 408 && response.status !== 429) return { kind: 'refused', message };
  const seconds = Number(response.headers.get('retry-after') ?? 0);
  return { kind: 'retry', afterMs: seconds > 0 ? Math.min(seconds, RETRY_AFTER_SECONDS_MAX) * 1000 : 0, message };
}

function rejections(answer: string): { rejected: number; firstProblem: string | null } {
  try {
    const { rejected } = JSON.parse(answer) as { rejected?: unknown };
    if (!Array.isArray(rejected) || rejected.length === 0) return { rejected: 0, firstProblem: null };
    return { rejected: rejected.length, firstProblem: JSON.stringify(rejected[0]).slice(0, 200) };
  } catch {
    // An answer that is no JSON still came with a 2xx: the batch was taken.
    return { rejected: 0, firstProblem: null };
  }
}

async function readBounded(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > ANSWER_BYTES_MAX) break;
  }
  return text;
}
