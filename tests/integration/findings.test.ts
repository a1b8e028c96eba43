import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectDatabase, type Sql } from '@/db/connect';
import { postJson } from './api-client';
import { startTestDatabase, type TestDatabase } from './database';
import { type Edge, startEdge } from './edge';
import { auditedAll, type Json, pureFindings, storedFindings } from './stored-findings';

interface History {
  readonly case: string;
  readonly records: readonly Json[];
}

const histories = readdirSync('tests/histories')
  .sort()
  .flatMap((name) => JSON.parse(readFileSync(`tests/histories/${name}`, 'utf8')) as History[]);

const AUDIT = { settleMs: 300, checkpointMs: 200 };

let database: TestDatabase;
let edge: Edge;
let sql: Sql;

beforeAll(async () => {
  database = await startTestDatabase();
  edge = await startEdge(database.postgres.connection, {}, { audit: AUDIT });
  sql = connectDatabase(database.postgres.connection, 2, 'test');
});

afterAll(async () => {
  await sql?.end({ timeout: 1 });
  await edge?.stop();
  await database?.stop();
});

/** The same history an hour ago: old instants would not be believed one day. */
function lately(records: readonly Json[]): Json[] {
  const times = records.flatMap(({ at }) => (typeof at === 'number' ? [at] : []));
  const shift = Math.round((Date.now() - 3_600_000 - Math.max(...times)) / 1000) * 1000;
  return records.map((record) => (typeof record['at'] === 'number' ? { ...record, at: record['at'] + shift } : record));
}

describe('the recorded histories, handed in as telemetry', () => {
  test('give the findings that the audit of each alone gives', async () => {
    const servers = new Map(histories.map(({ case: name, records }, index) => [`${name}-${index}`, lately(records)]));
    for (const [server, records] of servers) {
      const sent = records.map((record) => ({ ...record, id: randomUUID(), server }));
      expect((await postJson(`${edge.base}/api/v1/telemetry`, sent)).body).toMatchObject({ accepted: records.length, rejected: [] });
    }
    await auditedAll(sql);
    for (const [server, records] of servers) {
      const audited = records.map((record) => ({ ...record, server }));
      expect(await storedFindings(edge.base, server), server).toEqual(pureFindings(audited));
    }
  });
});
