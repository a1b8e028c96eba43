import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { from as copyFrom } from 'pg-copy-streams';
import type { Tx } from '@/db/transactions';

const CHUNK_CHARS = 65_536;

export interface Copy {
  readonly table: string;
  readonly columns: string;
  readonly lines: Iterable<string>;
}

/**
 * Streams lines into a table with one COPY statement, in chunks, so that Postgres parses while we still format.
 *
 * @param around statements that travel with it in the same message, each with its semicolon
 */
export async function copyInto(tx: Tx, { table, columns, lines }: Copy, around: { before?: string; after?: string } = {}): Promise<void> {
  const stream = tx.query(copyFrom(`${around.before ?? ''}copy ${table} (${columns}) from stdin;${around.after ?? ''}`));
  const failure = new Promise<never>((_resolve, reject) => stream.on('error', reject));
  await Promise.race([failure, send(stream, lines)]);
}

async function send(stream: Writable, lines: Iterable<string>): Promise<void> {
  let chunk = '';
  for (const line of lines) {
    chunk += line;
    if (chunk.length < CHUNK_CHARS) continue;
    if (!stream.write(chunk)) await once(stream, 'drain');
    chunk = '';
  }
  stream.end(chunk);
  await once(stream, 'finish');
}
