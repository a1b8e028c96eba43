import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { startPostgresIn } from './database';
import { startEdge } from './edge';

/** The edge and its Postgres in a folder that is a small disk of its own, filled to the last byte and freed on command. */
const dataDir = process.argv[2] ?? '';
const ballast = join(dataDir, 'ballast');
const postgres = await startPostgresIn(dataDir);
const edge = await startEdge(postgres.connection);

/** Writes until the disk takes no further byte. */
function fill(): void {
  const file = openSync(ballast, 'w');
  let size = 1024 * 1024;
  while (size >= 1) {
    try {
      writeSync(file, Buffer.alloc(size));
    } catch (cause) {
      if ((cause as { code?: unknown }).code !== 'ENOSPC') throw cause;
      size = Math.floor(size / 2);
    }
  }
  closeSync(file);
}

createInterface({ input: process.stdin }).on('line', (command) => {
  if (command === 'fill') fill();
  else rmSync(ballast);
  console.log(command);
});
process.stdin.on(
  'end',
  () =>
    void edge
      .stop()
      .then(() => postgres.stop())
      .then(() => process.exit(0)),
);
console.log(edge.base);
