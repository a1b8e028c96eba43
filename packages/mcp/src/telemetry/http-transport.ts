import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { ANSWER_BYTES_MAX, type Batch, outcomeOfStatus, outcomeOfStored, type SendOutcome, type Transport } from './batch.js';
import { retryAfterMs } from './retry-after.js';

const gzipAsync = promisify(gzip);
/** Below this size compression costs more than it saves. */
const GZIP_FROM_BYTES = 8 * 1024;
/** The fastest level: records repeat themselves so much that higher ones save little more and cost much. */
const GZIP = { level: 1 } as const;
/** Status of an answer that the intake gives once a batch is committed. */
const STORED = 202;

export interface IntakeTarget {
  readonly endpoint: URL;
  readonly key: string | undefined;
  readonly timeoutMs: number;
}

/** One POST per batch, one at a time, so that records arrive in order. */
export class HttpTransport implements Transport {
  readonly window = 1;

  constructor(private readonly target: IntakeTarget) {}

  async send({ origin, lines }: Batch, signal: AbortSignal): Promise<SendOutcome> {
    const { endpoint, key, timeoutMs } = this.target;
    try {
      const text = `${lines.join('\n')}\n`;
      const isLarge = text.length >= GZIP_FROM_BYTES;
      const response = await fetch(endpoint, {
        method: 'POST',
        redirect: 'error',
        headers: {
          'content-type': 'application/x-ndjson',
          'tidemark-producer': origin.producer,
          'tidemark-epoch': origin.epoch,
          'tidemark-sequence': String(origin.sequence),
          'tidemark-dropped': String(origin.dropped),
          ...(isLarge ? { 'content-encoding': 'gzip' } : {}),
          ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        },
        body: isLarge ? await gzipAsync(text, GZIP) : text,
        signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      });
      return outcomeOf(response, await readBounded(response));
    } catch (cause) {
      return { kind: 'retry', afterMs: 0, isAway: !isTimeout(cause), message: reasonOf(cause) };
    }
  }

  close(): void {
    // Connections belong to the runtime's own pool, which keeps no process alive.
  }
}

function outcomeOf(response: Response, answer: string): SendOutcome {
  const told = `${response.status}: ${answer.slice(0, 200)}`;
  if (response.ok)
    return outcomeOfStored(response.status === STORED ? parse(answer) : null, `something else than the intake answered ${told}`);
  const afterMs = retryAfterMs(response.headers.get('retry-after'), Date.now());
  return outcomeOfStatus(response.status, afterMs, `the intake answered ${told}`);
}

function parse(answer: string): unknown {
  try {
    return JSON.parse(answer);
  } catch {
    // Not the intake's, which always answers with JSON, or cut off on its way.
    return null;
  }
}

/** A batch that the intake does not answer in time may be at fault itself. */
function isTimeout(cause: unknown): boolean {
  return cause instanceof Error && cause.name === 'TimeoutError';
}

/** `fetch` says "fetch failed" of everything and keeps the reason as its cause. */
function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  const inner = cause.cause;
  if (!(inner instanceof Error)) return cause.message;
  return `${cause.message}: ${inner.message || ('code' in inner ? String(inner.code) : inner.name)}`;
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
