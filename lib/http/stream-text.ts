import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** What is long is handed over in such pieces, so that it is seen how far its reader has come. */
const PIECE_BYTES = 64 * 1024;

/**
 * Writes parts of an answer as they come, no faster than the reader takes them. Never rejects: a reader that goes away ends them.
 *
 * @param over resolves when that is known; an answer that stands behind another one of its connection is not told of it
 */
export async function streamText(
  response: ServerResponse,
  parts: AsyncIterable<string> | Iterable<string | Uint8Array>,
  over: Promise<void>,
): Promise<void> {
  const gone = new AbortController();
  void over.then(() => gone.abort());
  await pipeline(Readable.from(piecesOf(parts), { objectMode: false }), response, { signal: gone.signal }).catch(() => undefined);
}

async function* piecesOf(parts: AsyncIterable<string> | Iterable<string | Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const part of parts) {
    const bytes = typeof part === 'string' ? Buffer.from(part) : part;
    for (let from = 0; from < bytes.length; from += PIECE_BYTES) yield bytes.subarray(from, from + PIECE_BYTES);
  }
}
