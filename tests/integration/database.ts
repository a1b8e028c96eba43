import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@/lib/postgres/supervisor';

/** A real Postgres of a test file's own, in a folder that goes with it. */
export interface TestDatabase {
  readonly postgres: EmbeddedPostgres;
  readonly dataDir: string;
  readonly stop: () => Promise<void>;
}

export async function startTestDatabase(): Promise<TestDatabase> {
  const dataDir = mkdtempSync(join(tmpdir(), 'tidemark-'));
  const postgres = await startEmbeddedPostgres({ dataDir });
  return {
    postgres,
    dataDir,
    stop: async () => {
      await postgres.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
