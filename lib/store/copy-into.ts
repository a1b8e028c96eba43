import type { Writable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Transaction } from '@/db/connect';

const CHUNK_CHARS = 65_536;

/**
 * Streams lines into a table with one COPY statement, in chunks, so that Postgres parses while we still format.
 *
 * When this returns the statement has been sent whole, but not yet answered: the driver never reports an error
 * that arrives after the last byte. The next statement of the same transaction does (25P02, transaction
 * aborted), so a COPY must always be followed by one; a commit alone would roll back in silence.
 */
export async function copyInto(tx: Transaction, table: string, columns: string, lines: Iterable<string>): Promise<void> {
  const stream = await tx.unsafe(`copy ${table} (${columns}) from stdin`).writable();
  const failure = new Promise<never>((_resolve, reject) => stream.once('error', reject));
  await Promise.race([failure, send(stream, lines)]);
}

async function send(stream: Writable, lines: Iterable<string>): Promise<void> {
  let chunk = '';
  for (const line of lines) {
    chunk += line;
    if (chunk.length < CHUNK_CHARS) continue;
    await written(stream, chunk);
    chunk = '';
  }
  if (chunk !== '') await written(stream, chunk);
  stream.end();
  // The driver sends the end of the data within this turn of the loop; a statement issued earlier would be refused.
  await nextTurn();
}

function written(stream: Writable, chunk: string): Promise<void> {
  return new Promise((resolve) => {
    if (stream.write(chunk)) resolve();
    else stream.once('drain', resolve);
  });
}
