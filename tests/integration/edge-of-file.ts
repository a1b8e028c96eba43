import { afterAll, beforeAll } from 'vitest';
import { connectDatabase, type Sql } from '@/db/connect';
import { startTestDatabase, type TestDatabase } from './database';
import { type Edge, startEdge } from './edge';

/** The edge, its database and a connection to look into it, for all tests of a file; reading one before `beforeAll` has run throws. */
export interface EdgeOfFile {
  readonly base: string;
  readonly services: Edge['services'];
  readonly database: TestDatabase;
  readonly sql: Sql;
}

/** Registers the hooks that start and stop them. */
export function edgeOfFile(
  ...[deps, config]: [deps?: Parameters<typeof startEdge>[1], config?: Parameters<typeof startEdge>[2]]
): EdgeOfFile {
  let database: TestDatabase | undefined;
  let edge: Edge | undefined;
  let sql: Sql | undefined;
  beforeAll(async () => {
    database = await startTestDatabase();
    edge = await startEdge(database.postgres.connection, deps, config);
    sql = connectDatabase(database.postgres.connection, 2, 'test');
  });
  afterAll(async () => {
    await sql?.end({ timeout: 1 });
    await edge?.stop();
    await database?.stop();
  });
  return {
    get base() {
      return running(edge).base;
    },
    get services() {
      return running(edge).services;
    },
    get database() {
      return running(database);
    },
    get sql() {
      return running(sql);
    },
  };
}

function running<T>(part: T | undefined): T {
  if (part === undefined) throw new Error('the edge is started by beforeAll: use it inside a test');
  return part;
}
