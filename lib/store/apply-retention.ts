import type { Transactions, Tx } from '@/db/transactions';
import { oldestKeptMs, type Retention } from '@/lib/config/retention';
import { countRows, DATED_TABLES, type DatedTable, type DayPartition, queryPartitions, tooOld } from '@/lib/query/retention-plan';
import { logChange } from '@/lib/store/change-log';
import { databaseTrouble } from '@/lib/store/database-trouble';
import { mendDropped, noteDropped } from '@/lib/store/dropped-days';

/** Any number that no other user of the database takes for its own advisory lock. */
const RETENTION_LOCK = 7_310_204_820;
/** Clocks that are kept at all are within a second of each other. */
const CLOCKS_APART_MS_MAX = 300_000;
/** A day is dropped under a lock that stops intake and reads; behind a long statement the day waits for the next run. */
const LOCK_MS_MAX = 3_000;
/** Days of one run that are waited for in vain: whoever reads for long holds most of them. */
const LOCKED_DAYS_MAX = 3;
/** A day that takes longer to count is dropped all the same. */
const COUNT_MS_MAX = 15_000;
/** Rollup rows of one statement, so that none runs into its time limit. */
const DELETED_AT_ONCE = 50_000;
const DELETES_MAX = 1_000;
/** What is sent again right after its day was dropped is to be known still, or it would be stored as new. */
const REMEMBERED_MS = 86_400_000;
const UNDATED: readonly DatedTable[] = [
  { name: 'undated_record', column: 'at' },
  { name: 'rejected_record', column: 'at' },
];

/** Something that is too old and could not be removed. */
export interface Kept {
  /** Name of the partition or table. */
  readonly name: string;
  readonly cause: unknown;
}

/** What a run removed. */
export interface Removed {
  /** False when another process is at it, or when the clocks are too far apart. */
  readonly hasRun: boolean;
  /** Milliseconds by which the given clock is ahead of the database's. */
  readonly clockAheadMs: number;
  /** Whether that is too far, either way, to remove anything. */
  readonly areClocksApart: boolean;
  readonly partitions: number;
  /** Rows of the partitions; of a day that could not be counted in time as the planner estimates them. */
  readonly rows: number;
  readonly rollupRows: number;
  /** What is left for the next run. */
  readonly kept: readonly Kept[];
}

const NOTHING = { hasRun: false, partitions: 0, rows: 0, rollupRows: 0, kept: [] };

/**
 * Removes what is older than the retention keeps: whole day partitions, each logged with the number of its rows in the transaction
 * that drops it, and rows of rollups. One process at a time; one that finds another at it does nothing.
 *
 * Nothing goes that is not too old by both clocks, the given one and the database's, and nothing at all when they are over five
 * minutes apart: what a wrong clock drops is gone for every process. What cannot be removed keeps nothing else from it.
 *
 * @param nowMs the clock of this process, epoch milliseconds
 * @param countMsMax time for counting one day
 * @throws where the database is lost on the way
 */
export async function applyRetention(
  transactions: Transactions,
  retention: Retention,
  nowMs: number,
  countMsMax = COUNT_MS_MAX,
): Promise<Removed> {
  const { isHeld, databaseMs } = await transactions.run(async (tx) => ({ isHeld: await holdLock(tx), databaseMs: await clockOf(tx) }));
  const clockAheadMs = nowMs - databaseMs;
  const areClocksApart = Math.abs(clockAheadMs) > CLOCKS_APART_MS_MAX;
  if (!isHeld || areClocksApart) return { ...NOTHING, clockAheadMs, areClocksApart };
  const atMs = Math.min(nowMs, databaseMs);
  const kept: Kept[] = [];
  const recordsFrom = oldestKeptMs(retention.recordsDays, atMs);
  const rollupsFrom = oldestKeptMs(retention.rollupsDays, atMs);
  const days = await dropDays(transactions, recordsFrom, { atMs, countMsMax, kept });
  let rollupRows = 0;
  for (const table of DATED_TABLES) rollupRows += await deleteRows(transactions, table, rollupsFrom, kept);
  for (const table of UNDATED) await deleteRows(transactions, table, recordsFrom - REMEMBERED_MS, kept);
  return { hasRun: true, clockAheadMs, areClocksApart, ...days, rollupRows, kept };
}

interface Run {
  readonly atMs: number;
  readonly countMsMax: number;
  readonly kept: Kept[];
}

async function dropDays(transactions: Transactions, recordsFrom: number, run: Run): Promise<{ partitions: number; rows: number }> {
  const old = await transactions.run(async (tx) => {
    await mendDropped(tx);
    return (await queryPartitions(tx)).filter(({ dayMs }) => dayMs < recordsFrom);
  });
  let partitions = 0;
  let rows = 0;
  let locked = 0;
  for (const partition of old) {
    if (locked === LOCKED_DAYS_MAX) break;
    try {
      const dropped = await transactions.run((tx) => dropPartition(tx, partition, run));
      if (dropped === null) continue;
      partitions++;
      rows += dropped;
    } catch (cause) {
      keep(run.kept, partition.name, cause);
      if (codeOf(cause) === LOCK_NOT_AVAILABLE) locked++;
    }
  }
  return { partitions, rows };
}

async function holdLock(tx: Tx): Promise<boolean> {
  const { rows } = await tx.query<{ held: boolean }>(`select pg_try_advisory_xact_lock(${RETENTION_LOCK}) as held`);
  return rows[0]?.held === true;
}

async function clockOf(tx: Tx): Promise<number> {
  const { rows } = await tx.query<{ ms: number }>('select extract(epoch from clock_timestamp())::float8 * 1000 as ms');
  return rows[0]?.ms ?? Number.NaN;
}

/** Null when another process is at it, or has done it. */
async function dropPartition(tx: Tx, { name, dayMs }: DayPartition, { atMs, countMsMax }: Run): Promise<number | null> {
  if (!(await holdLock(tx))) return null;
  const { rows: found } = await tx.query('select from pg_class where oid = to_regclass($1)', [name]);
  if (found.length === 0) return null;
  await tx.query(`set local lock_timeout = ${LOCK_MS_MAX}`);
  const { rows, isExact } = await countRows(tx, name, countMsMax);
  await tx.query(`drop table ${name}`);
  await noteDropped(tx, dayMs);
  const before = isExact ? { rows } : { rows, is_estimate: true };
  // A day that was made ahead and never filled is nobody's loss.
  if (rows > 0) await logChange(tx, { atMs, actor: 'system', action: 'retention.dropped', subject: name, before, after: null });
  return rows;
}

async function deleteRows(transactions: Transactions, table: DatedTable, beforeMs: number, kept: Kept[]): Promise<number> {
  const { name } = table;
  const text = `delete from ${name} where ctid = any (array(select ctid from ${name} where ${tooOld(table, 'due')} limit ${DELETED_AT_ONCE}))`;
  let total = 0;
  try {
    for (let round = 0; round < DELETES_MAX; round++) {
      const deleted = await transactions.run(async (tx) => (await tx.query(text, [new Date(beforeMs)])).rowCount ?? 0);
      total += deleted;
      if (deleted < DELETED_AT_ONCE) break;
    }
  } catch (cause) {
    keep(kept, name, cause);
  }
  return total;
}

/** Notes what could not be removed; thrown on where the database is lost, as it would be for all that follows. */
function keep(kept: Kept[], name: string, cause: unknown): void {
  if (databaseTrouble(cause) !== null && !OF_ONE_STATEMENT.test(String(codeOf(cause)))) throw cause;
  kept.push({ name, cause });
}

const LOCK_NOT_AVAILABLE = '55P03';
/** Troubles of the database in which the next statement may well succeed: time or room that ran out, and what others do at once. */
const OF_ONE_STATEMENT = /^(?:57014|53\w{3}|40001|40P01|55P03)$/;

function codeOf(cause: unknown): unknown {
  return cause instanceof Error ? (cause as { code?: unknown }).code : undefined;
}
