import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { from as copyFrom } from 'pg-copy-streams';
import type { Tx } from '@/db/transactions';

const CHUNK_CHARS = 65_536;

/** Streams lines into a table with one COPY statement, in chunks, so that Postgres parses while we still format. */
export async function copyInto(tx: Tx, table: string, columns: string, lines: Iterable<string>): Promise<void> {
  const stream = tx.query(copyFrom(`copy ${table} (${columns}) from stdin`));
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
