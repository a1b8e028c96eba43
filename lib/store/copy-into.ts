import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { from as copyFrom } from 'pg-copy-streams';
import type { Tx } from '@/db/transactions';

const CHUNK_CHARS = 65_536;

/** Rows for a table, in COPY's text format as lines or in its binary format as bytes. */
export interface Copy {
  readonly table: string;
  readonly columns: string;
  readonly rows: { readonly lines: Iterable<string> } | { readonly binary: Iterable<Buffer> };
}

/**
 * Streams rows into a table with one COPY statement, in chunks, so that Postgres reads while we still write.
 *
 * @param around statements that travel with it in the same message, each with its semicolon
 */
export async function copyInto(tx: Tx, { table, columns, rows }: Copy, around: { before?: string; after?: string } = {}): Promise<void> {
  const isBinary = 'binary' in rows;
  const copy = `copy ${table} (${columns}) from stdin${isBinary ? ' (format binary)' : ''};`;
  const stream = tx.query(copyFrom(`${around.before ?? ''}${copy}${around.after ?? ''}`));
  const failure = new Promise<never>((_resolve, reject) => stream.on('error', reject));
  await Promise.race([failure, send(stream, isBinary ? rows.binary : chunksOf(rows.lines))]);
}

function* chunksOf(lines: Iterable<string>): Generator<string> {
  let chunk = '';
  for (const line of lines) {
    chunk += line;
    if (chunk.length < CHUNK_CHARS) continue;
    yield chunk;
    chunk = '';
  }
  yield chunk;
}

async function send(stream: Writable, chunks: Iterable<string | Buffer>): Promise<void> {
  for (const chunk of chunks) if (!stream.write(chunk)) await once(stream, 'drain');
  stream.end();
  await once(stream, 'finish');
}
