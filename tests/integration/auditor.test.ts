import { once } from 'node:events';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectDatabase, type Sql } from '@/db/connect';
import { Transactions } from '@/db/transactions';
import { PostgresAuditSource } from '@/lib/store/audit-source';
import { call, postJson } from './api-client';
import { startAppProcess } from './app-child';
import { startTestDatabase, type TestDatabase } from './database';
import { startEdge } from './edge';
import { batchesOf, mixedHistory } from './mixed-history';
import { auditedAll, expectFindings, type Json, pureFindings, until } from './stored-findings';

const AUDIT = { settleMs: 500, checkpointMs: 100, pageRecords: 20 };

let database: TestDatabase;
let sql: Sql;

beforeAll(async () => {
  database = await startTestDatabase();
  sql = connectDatabase(database.postgres.connection, 3, 'test');
});

afterAll(async () => {
  await sql?.end({ timeout: 1 });
  await database?.stop();
});

async function sendAll(bases: readonly string[], records: readonly Json[]): Promise<void> {
  for (const [index, batch] of batchesOf(records, 25).entries()) {
    const reply = await postJson(`${bases[index % bases.length]}/api/v1/telemetry`, batch);
    expect(reply.body).toMatchObject({ accepted: batch.length });
  }
}

async function waiting(): Promise<number> {
  const [row] = await sql<{ waiting: number }[]>`select count(*)::int as waiting from audit_inbox`;
  return row?.waiting ?? 0;
}

describe('the audit of stored records', () => {
  test('killed again and again amid its work, neither loses a finding nor doubles one', async () => {
    const records = mixedHistory('killed', 20, 40);
    // Taken in while nothing is audited, so that every life of the app finds work.
    const intake = await startEdge(database.postgres.connection);
    await sendAll([intake.base], records);
    await intake.stop();
    let left = await waiting();
    expect(left).toBeGreaterThan(20);
    let kills = 0;
    while (kills < 4) {
      const { child } = await startAppProcess(database.postgres.connection, { audit: AUDIT });
      const ended = once(child, 'exit');
      await until('a part is audited and saved', async () => {
        const now = await waiting();
        return now < left || now === 0;
      });
      child.kill('SIGKILL');
      await ended;
      left = await waiting();
      kills++;
    }
    const edge = await startEdge(database.postgres.connection, {}, { audit: AUDIT });
    await expectFindings(edge.base, 'killed', pureFindings(records));
    await edge.stop();
  });

  test('of two processes one audits a server, and the other goes on when it is gone', async () => {
    const records = mixedHistory('shared', 12, 30);
    const half = Math.floor(records.length / 2);
    const one = await startEdge(database.postgres.connection, {}, { audit: AUDIT });
    const two = await startEdge(database.postgres.connection, {}, { audit: AUDIT });
    await sendAll([one.base, two.base], records.slice(0, half));
    await until('somebody audits', async () => {
      const [row] = await sql<{ holders: number }[]>`
        select count(distinct pid)::int as holders from pg_locks l join server s on s.id = l.objid::int
        where locktype = 'advisory' and classid = 731020482 and s.name = 'shared'`;
      expect(row?.holders ?? 0).toBeLessThanOrEqual(1);
      return row?.holders === 1;
    });
    await one.stop();
    await sendAll([two.base], records.slice(half));
    await expectFindings(two.base, 'shared', pureFindings(records));
    const { body } = await call(`${two.base}/api/v1/findings/facets?server=shared`);
    expect(body['total']).toBe(pureFindings(records).length);
    await two.stop();
  });

  test('whoever lost a server without noticing can store nothing more', async () => {
    const edge = await startEdge(database.postgres.connection);
    await sendAll([edge.base], mixedHistory('lost', 1, 10));
    const [row] = await sql<{ id: number }[]>`select id from server where name = 'lost'`;
    const server = row?.id ?? 0;
    const open = () => {
      const locks = connectDatabase(database.postgres.connection, 1, 'test locks');
      const transactions = new Transactions(database.postgres.connection, 1, 'test');
      const source = new PostgresAuditSource(sql, locks, transactions, () => 'S1', Date.now);
      return { source, close: () => Promise.all([locks.end({ timeout: 1 }), transactions.close()]) };
    };
    const [former, next] = [open(), open()];
    const standing = await former.source.take(server);
    if (standing === null) throw new Error('nobody else has it');
    expect(await next.source.take(server)).toBeNull();
    await former.source.release(server);
    expect(await next.source.take(server)).toMatchObject({ epoch: standing.epoch + 1n });
    const nothing = { findings: [], withdrawn: [], resumes: [] };
    const before = await waiting();
    await expect(former.source.store(server, standing, nothing, { state: 'x', batches: [1, 2, 3, 4, 5] })).rejects.toThrow(
      'another process',
    );
    expect(await waiting()).toBe(before);
    await Promise.all([former.close(), next.close(), edge.stop()]);
  });

  test.each([
    { name: 'of another version', state: gzipSync('{"sessions":[]}\n{"tidemark_audit":99,"state":{}}') },
    { name: 'damaged', state: Buffer.from('damaged') },
  ])('what an audit told stands when its saved state is $name, over the processes that follow', async ({ name, state }) => {
    const of = { server: name, session: 'a' };
    const told = [
      { ...of, type: 'session', event: 'created' },
      { ...of, type: 'open', conn: 'c1', method: 'GET', status: 200 },
      { ...of, type: 'emit', event_id: '1' },
      { ...of, type: 'emit', event_id: '2' },
      { ...of, type: 'open', session: 'b', conn: 'x', method: 'POST', status: 200 },
    ].map((record, index) => ({ ...record, at: Date.now() - 60_000 + index * 5_000 }));
    const later = (id: string) => [{ ...of, type: 'request', conn: 'p', rpc: { method: 'ping', id }, status: 200, at: Date.now() }];
    const proved = pureFindings(told);
    expect(proved).not.toEqual([]);
    const rows = () => sql`
      select is_provisional, body::json ->> 'scope' as scope from finding f join server s on s.id = server_id where s.name = ${name}`;
    const first = await startEdge(database.postgres.connection, {}, { audit: AUDIT });
    await sendAll([first.base], told);
    await expectFindings(first.base, name, proved);
    await auditedAll(sql);
    await first.stop();
    expect(await rows()).toMatchObject([{ is_provisional: true, scope: expect.any(String) }]);
    await sql`update audit_checkpoint c set state = ${state} from server s where s.id = c.server_id and s.name = ${name}`;
    for (const id of ['one', 'two']) {
      const edge = await startEdge(database.postgres.connection, {}, { audit: AUDIT });
      await sendAll([edge.base], later(id));
      await auditedAll(sql);
      await expectFindings(edge.base, name, proved);
      await edge.stop();
      expect(await rows()).toMatchObject([{ is_provisional: true, scope: null }]);
    }
  });

  test('what committed late is read before what came after it, and nothing above it is read meanwhile', async () => {
    const transactions = new Transactions(database.postgres.connection, 2, 'test');
    const locks = connectDatabase(database.postgres.connection, 1, 'test locks');
    const source = new PostgresAuditSource(sql, locks, transactions, () => 'S1', Date.now);
    const begin = "select pg_current_xact_id()::text as identity, nextval('intake_batch')::int as number";
    const numbers: number[] = [];
    await transactions.run(async (late) => {
      numbers.push((await late.query<{ number: number }>(begin)).rows[0]?.number ?? 0);
      numbers.push(await transactions.run(async (tx) => (await tx.query<{ number: number }>(begin)).rows[0]?.number ?? 0));
      for (let look = 0; look < 3; look++) expect(await source.settledBatch()).toBeLessThan(numbers[0] ?? 0);
    });
    await until('both are settled', async () => (await source.settledBatch()) >= (numbers[1] ?? 0));
    await Promise.all([locks.end({ timeout: 1 }), transactions.close()]);
  });
});
