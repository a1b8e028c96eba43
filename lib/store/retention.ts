import type { Sql } from '@/db/connect';
import type { Transactions, Tx } from '@/db/transactions';
import { oldestKeptMs, type Retention } from '@/lib/config/retention';
import { countRows, DATED_TABLES, type DayPartition, queryPartitions } from '@/lib/query/retention-plan';
import { logChange } from '@/lib/store/change-log';
import { noteDropped } from '@/lib/store/dropped-days';

/** Any number that no other user of the database takes for its own advisory lock. */
const RETENTION_LOCK = 7_310_204_820;
/** A day is dropped under a lock that stops intake and reads; behind a long statement the day waits for the next run. */
const LOCK_MS_MAX = 3_000;
/** Rollup rows of one statement, so that none runs into its time limit. */
const DELETED_AT_ONCE = 50_000;
const DELETES_MAX = 1_000;
const KEY = 'retention';

/** What a run removed. */
export interface Removed {
  /** False when another process is at it. */
  readonly hasRun: boolean;
  readonly partitions: number;
  readonly rows: number;
  readonly rollupRows: number;
}

/** The retention made over the API; null when there is none. */
export async function storedRetention(sql: Sql): Promise<Retention | null> {
  const [row] = await sql<{ value: string }[]>`select value from installation where key = ${KEY}`;
  // Written by `storeRetention` and by nothing else.
  return row === undefined ? null : (JSON.parse(row.value) as Retention);
}

/** Keeps a retention made over the API, with its entry in the change log. */
export async function storeRetention(
  transactions: Transactions,
  from: Retention,
  to: Retention,
  change: { readonly actor: string; readonly atMs: number },
): Promise<void> {
  await transactions.run(async (tx) => {
    await tx.query('insert into installation (key, value) values ($1, $2) on conflict (key) do update set value = excluded.value', [
      KEY,
      JSON.stringify(to),
    ]);
    await logChange(tx, { ...change, action: 'retention.changed', subject: KEY, before: daysOf(from), after: daysOf(to) });
  });
}

/**
 * Removes what is older than the retention keeps: whole day partitions, each counted and logged in the transaction
 * that drops it, and rows of rollups. One process at a time; one that finds another at it does nothing.
 */
export async function applyRetention(transactions: Transactions, retention: Retention, nowMs: number): Promise<Removed> {
  const recordsFrom = oldestKeptMs(retention.recordsDays, nowMs);
  let partitions = 0;
  let rows = 0;
  const old = await transactions.run(async (tx) => (await holdLock(tx)) && oldPartitions(tx, recordsFrom));
  if (old === false) return { hasRun: false, partitions, rows, rollupRows: 0 };
  for (const partition of old) {
    const dropped = await transactions.run((tx) => dropPartition(tx, partition, nowMs));
    if (dropped === null) continue;
    partitions++;
    rows += dropped;
  }
  const rollupsFrom = new Date(oldestKeptMs(retention.rollupsDays, nowMs));
  let rollupRows = 0;
  for (const [table, column] of DATED_TABLES) rollupRows += await deleteRows(transactions, table, column, rollupsFrom);
  await deleteRows(transactions, 'undated_record', 'at', new Date(recordsFrom));
  await deleteRows(transactions, 'rejected_record', 'at', new Date(recordsFrom));
  return { hasRun: true, partitions, rows, rollupRows };
}

async function oldPartitions(tx: Tx, recordsFrom: number): Promise<DayPartition[]> {
  return (await queryPartitions(tx)).filter(({ dayMs }) => dayMs < recordsFrom);
}

async function holdLock(tx: Tx): Promise<boolean> {
  const { rows } = await tx.query<{ held: boolean }>(`select pg_try_advisory_xact_lock(${RETENTION_LOCK}) as held`);
  return rows[0]?.held === true;
}

/** Null when another process is at it, or has done it. */
async function dropPartition(tx: Tx, { name, dayMs }: DayPartition, nowMs: number): Promise<number | null> {
  if (!(await holdLock(tx))) return null;
  const { rows: found } = await tx.query('select from pg_class where oid = to_regclass($1)', [name]);
  if (found.length === 0) return null;
  const rows = await countRows(tx, name);
  await tx.query(`set local lock_timeout = ${LOCK_MS_MAX}`);
  await tx.query(`drop table ${name}`);
  await noteDropped(tx, dayMs);
  // A day that was made ahead and never filled is nobody's loss.
  if (rows > 0) {
    await logChange(tx, { atMs: nowMs, actor: 'system', action: 'retention.dropped', subject: name, before: { rows }, after: null });
  }
  return rows;
}

async function deleteRows(transactions: Transactions, table: string, column: string, before: Date): Promise<number> {
  let total = 0;
  for (let round = 0; round < DELETES_MAX; round++) {
    const deleted = await transactions.run(async (tx) => {
      const { rowCount } = await tx.query(
        `delete from ${table} where ctid = any (array(select ctid from ${table} where ${column} < $1 limit ${DELETED_AT_ONCE}))`,
        [before],
      );
      return rowCount ?? 0;
    });
    total += deleted;
    if (deleted < DELETED_AT_ONCE) break;
  }
  return total;
}

const daysOf = ({ recordsDays, rollupsDays }: Retention) => ({ records_days: recordsDays, rollups_days: rollupsDays });
