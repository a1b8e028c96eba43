import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@/lib/postgres/supervisor';

/** A real Postgres of a test file's own, in a folder that goes with it. */
export interface TestDatabase {
  readonly postgres: EmbeddedPostgres;
  readonly dataDir: string;
  readonly stop: () => Promise<void>;
}

/** Folder with the programs of another version than the one that npm brought: where TIDEMARK_TEST_POSTGRES points to. */
const BIN_DIR = process.env['TIDEMARK_TEST_POSTGRES'] ?? '';

/** Starts the Postgres of the tests on a folder, new or left behind by an earlier one. */
export const startPostgresIn = (dataDir: string): Promise<EmbeddedPostgres> =>
  startEmbeddedPostgres({ dataDir, ...(BIN_DIR === '' ? {} : { binDir: BIN_DIR }) });

export async function startTestDatabase(): Promise<TestDatabase> {
  const dataDir = mkdtempSync(join(tmpdir(), 'tidemark-'));
  // Before version 16 the server's own user must be able to pass it.
  chmodSync(dataDir, 0o711);
  const postgres = await startPostgresIn(dataDir);
  return {
    postgres,
    dataDir,
    stop: async () => {
      await postgres.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
