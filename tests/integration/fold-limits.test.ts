import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { connectDatabase, type Sql } from '@/db/connect';
import { migrateDatabase } from '@/db/migrate';
import { Transactions } from '@/db/transactions';
import { HOUR_MS, outcomeKey } from '@/lib/rollup/increments';
import { readIncrements } from '@/lib/rollup/increments-text';
import { foldPending } from '@/lib/store/fold-pending';
import { takeTurn } from '@/lib/store/fold-turn';
import { FoldWidth } from '@/lib/store/fold-width';
import { RollupFold } from '@/lib/store/rollup-fold';
import { type SetAside, setAside } from '@/lib/store/set-aside';
import { UnfoldedIncrements } from '@/lib/store/unfolded-increments';
import { startTestDatabase, type TestDatabase } from './database';
import { waitFor } from './wait-for';

const AT = Date.now() - 61_001;
const SLOW = 7;
let database: TestDatabase;
let sql: Sql;

beforeAll(async () => {
  database = await startTestDatabase();
  sql = connectDatabase(database.postgres.connection, 2, 'test');
  await migrateDatabase(database.postgres.connection);
});

afterAll(async () => {
  await sql?.end({ timeout: 1 });
  await database?.stop();
});

beforeEach(async () => {
  await sql`truncate pending_rollup, set_aside_rollup, server_hour`;
});

const attempt = (server: number): string => `h ${server} ${outcomeKey(Math.floor(AT / HOUR_MS), 3, 1)} 1 0 1 0 ${AT} ${AT} - - -\n`;
const leave = (server: number, batch: number | null = null) =>
  sql`insert into pending_rollup (batch, increments) values (${batch}, ${attempt(server)}) returning seq`;
const folded = async (): Promise<unknown> => sql`select server_id, attempts::int from server_hour order by server_id`;
const ignore = (): void => undefined;

test('increments that another process is setting aside are not folded as well by the one that stored them', async () => {
  const transactions = new Transactions(database.postgres.connection, 2, 'two');
  const unfolded = new UnfoldedIncrements();
  const [x] = await leave(1, 11);
  await leave(2, 12);
  unfolded.add(11, readIncrements(attempt(1)));
  unfolded.add(12, readIncrements(attempt(2)));
  let fold: Promise<number> = Promise.resolve(0);
  await transactions.run(async (tx) => {
    expect(await setAside(tx, { seq: String(x?.['seq']), cause: '22003' })).toBe(true);
    fold = foldPending(transactions, unfolded, new FoldWidth(), ignore);
    const waiting = () => sql`select from pg_stat_activity where application_name = 'tidemark two' and wait_event_type = 'Lock'`;
    await waitFor(waiting, ({ length }) => length === 1);
  });
  expect(await fold).toBe(1);
  expect(await folded()).toEqual([{ server_id: 2, attempts: 1 }]);
  expect(await sql`select code from set_aside_rollup`).toEqual([{ code: '22003' }]);
  await transactions.close();
});

test('what alone outlasts the deadline of its transaction is set aside, and what came after it is folded', async () => {
  await sql.unsafe(`
    create function dawdle() returns trigger language plpgsql as $$ begin perform pg_sleep(2.5); return new; end $$;
    create trigger dawdle before insert on server_hour for each row when (new.server_id = ${SLOW}) execute function dawdle()`);
  const aside: SetAside[] = [];
  const transactions = new Transactions(database.postgres.connection, 2, 'hasty', 2_000);
  const fold = new RollupFold(transactions, new UnfoldedIncrements(), { onTrouble: ignore, onSetAside: (some) => aside.push(some) });
  const [slow] = await leave(SLOW);
  for (const server of [1, 2, 3]) await leave(server);
  await waitFor(
    () =>
      fold
        .settle()
        .then(() => true)
        .catch(() => false),
    (isDone) => isDone,
  );
  expect(aside).toEqual([{ seq: String(slow?.['seq']), cause: 'out_of_time' }]);
  expect(await folded()).toEqual([1, 2, 3].map((server_id) => ({ server_id, attempts: 1 })));
  expect(await sql`select code from set_aside_rollup`).toEqual([{ code: 'out_of_time' }]);
  await fold.close();
  await transactions.close();
  await sql`drop function dawdle cascade`;
});

test('a fold that waits for a lock of others gives up before its statement runs out of time, and the next takes as much', async () => {
  const transactions = new Transactions(database.postgres.connection, 2, 'patient');
  const [lock, statement] = await transactions.run(async (tx) => {
    await takeTurn(tx);
    const { rows } = await tx.query<{ ms: number }>(
      `select setting::int as ms from pg_settings where name in ('lock_timeout', 'statement_timeout') order by name`,
    );
    return rows.map(({ ms }) => ms);
  });
  expect(lock).toBeGreaterThan(0);
  expect(lock).toBeLessThan(statement ?? 0);

  // What the server then says does not narrow: here the lock is asked for without any wait.
  const width = new FoldWidth();
  await leave(1);
  await sql`create function unavailable() returns trigger language plpgsql as $$ begin raise exception 'busy' using errcode = '55P03'; end $$`;
  await sql`create trigger unavailable before insert on server_hour execute function unavailable()`;
  await expect(foldPending(transactions, new UnfoldedIncrements(), width, ignore)).rejects.toMatchObject({ code: '55P03' });
  expect(width.count).toBe(400);
  await sql`drop function unavailable cascade`;
  await transactions.close();
});
