import type { Sql } from '@/db/connect';
import type { Tx } from '@/db/transactions';

const DAY_MS = 86_400_000;
/** Row of `installation`: the newest day that retention dropped, as an ISO date. It rises, up to what the database's clock allows. */
const KEY = 'records_dropped_through';
/**
 * No retention drops the present day or the one before it. A later day was noted by a wrong clock, and would shut the intake until
 * that day has come.
 */
const NEWEST = `to_char((clock_timestamp() at time zone 'UTC')::date - 2, 'YYYY-MM-DD')`;
/** SQLSTATE of ours: the day was dropped. */
const DROPPED = 'TM001';

/** Notes, in the transaction that drops a day, that none of its records may come again: what they added to the rollups stays. */
export async function noteDropped(tx: Tx, dayMs: number): Promise<void> {
  await tx.query(
    `insert into installation (key, value) values ($1, least($2, ${NEWEST}))
    on conflict (key) do update set value = greatest(installation.value, excluded.value)`,
    [KEY, dayText(dayMs)],
  );
}

/** Lowers what was noted by a clock that ran ahead. */
export async function mendDropped(tx: Tx): Promise<void> {
  await tx.query(`update installation set value = ${NEWEST} where key = $1 and value > ${NEWEST}`, [KEY]);
}

/** First instant, in epoch milliseconds, of which records may be stored: that after the last day that any process dropped. */
export async function droppedBeforeMs(sql: Sql): Promise<number> {
  const [row] = await sql.unsafe<{ value: string }[]>(`select least(value, ${NEWEST}) as value from installation where key = $1`, [KEY]);
  return row === undefined ? 0 : Date.parse(row.value) + DAY_MS;
}

/**
 * Makes a day's partition, unless the day was dropped: then answers false. Looked at once the table's lock is held, which a drop
 * holds until it is committed.
 */
export async function createUnlessDropped(sql: Sql, table: string, name: string, dayMs: number): Promise<boolean> {
  const from = new Date(dayMs).toISOString();
  const to = new Date(dayMs + DAY_MS).toISOString();
  try {
    await sql.unsafe(`do $$ begin
      create table if not exists ${name} partition of ${table} for values from ('${from}') to ('${to}');
      if exists (select from installation where key = '${KEY}' and least(value, ${NEWEST}) >= '${dayText(dayMs)}') then
        raise exception 'the day was dropped' using errcode = '${DROPPED}';
      end if;
    end $$`);
    return true;
  } catch (cause) {
    if (cause instanceof Error && (cause as { code?: unknown }).code === DROPPED) return false;
    throw cause;
  }
}

const dayText = (dayMs: number): string => new Date(dayMs).toISOString().slice(0, 10);
