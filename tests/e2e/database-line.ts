import { join } from 'node:path';
import type { TestDatabase } from '@/tests/integration/database';
import { type CutLine, cutLineTo } from './cut-line';

/** A way to the database's socket by TCP that a test can cut and open again. */
export interface DatabaseLine extends CutLine {
  readonly url: string;
}

export async function lineTo(database: TestDatabase): Promise<DatabaseLine> {
  const { host, port, user, database: name } = database.postgres.connection;
  const line = await cutLineTo({ path: join(host, `.s.PGSQL.${port}`) });
  return { ...line, url: `postgres://${user}@127.0.0.1:${line.port}/${name}` };
}
