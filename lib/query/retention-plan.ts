import type { Queryable } from '@/db/transactions';
import { oldestKeptMs, type Retention } from '@/lib/config/retention';

/** Tables that are partitioned by day. */
const PARTITIONED = ['attempt', 'record'] as const;

/** A table whose rows go by a date of their own. */
export interface DatedTable {
  readonly name: string;
  readonly column: string;
  /** Rows of a table that is cleaned before this one, without which a row may not be: what they say hangs on it. */
  readonly heldBy?: { readonly name: string; readonly column: string; readonly keys: readonly string[] };
}

/** Tables of rollups and of what belongs to them, in the order in which they are cleaned. */
export const DATED_TABLES: readonly DatedTable[] = [
  { name: 'attempt_minute', column: 'bucket' },
  { name: 'server_hour', column: 'bucket' },
  { name: 'attempt_histogram', column: 'hour' },
  { name: 'annotation', column: 'bucket' },
  { name: 'session_hour', column: 'hour' },
  { name: 'session_count', column: 'hour' },
  { name: 'session', column: 'last_at' },
  { name: 'set_aside_rollup', column: 'at' },
  { name: 'finding', column: 'at' },
  { name: 'telemetry_loss', column: 'until' },
  {
    name: 'producer_epoch',
    column: 'last_at',
    heldBy: { name: 'telemetry_loss', column: 'until', keys: ['project_id', 'producer', 'epoch'] },
  },
];

/**
 * Condition of the rows of a table that are older than `$1`.
 *
 * @param when `due` once the tables before it were cleaned, `planned` while none was
 */
export function tooOld({ name, column, heldBy }: DatedTable, when: 'due' | 'planned'): string {
  if (heldBy === undefined) return `${column} < $1`;
  const same = heldBy.keys.map((key) => `h.${key} = ${name}.${key}`).join(' and ');
  const stays = when === 'due' ? '' : ` and h.${heldBy.column} >= $1`;
  return `${column} < $1 and not exists (select from ${heldBy.name} h where ${same}${stays})`;
}

export interface DayPartition {
  readonly table: (typeof PARTITIONED)[number];
  readonly name: string;
  /** First instant of its day. */
  readonly dayMs: number;
  readonly bytes: number;
}

/** What retention would remove at an instant, counted. */
export interface RetentionPlan {
  /** Whether something was too much to be counted in time and is estimated. */
  readonly isEstimate: boolean;
  readonly attempts: number;
  readonly records: number;
  readonly rollupRows: number;
  readonly bytes: number;
  /** Days of which something would go, oldest first. */
  readonly days: readonly string[];
}

export interface RetentionStanding {
  /** Oldest day that holds anything; null when nothing is stored. */
  readonly oldestDay: string | null;
  readonly days: number;
  readonly bytes: number;
}

/** The day partitions there are, oldest first. */
export async function queryPartitions(sql: Queryable): Promise<DayPartition[]> {
  const { rows } = await sql.query<{ parent: DayPartition['table']; name: string; bytes: string }>(
    `select p.relname as parent, c.relname as name, pg_total_relation_size(c.oid)::text as bytes
     from pg_inherits i join pg_class c on c.oid = i.inhrelid join pg_class p on p.oid = i.inhparent
     where p.oid = any (array['attempt'::regclass, 'record'::regclass]) order by right(c.relname, 8), 1`,
  );
  return rows.flatMap(({ parent, name, bytes }) => {
    const dayMs = dayOf(name, parent);
    return dayMs === null ? [] : [{ table: parent, name, dayMs, bytes: Number(bytes) }];
  });
}

/** Time for counting; whatever is not counted by then is estimated. */
const PLAN_MS_MAX = 15_000;

/** Counts what a retention would remove at an instant, exactly as far as there is time; nothing is changed. To be called in a transaction. */
export async function planRetention(sql: Queryable, retention: Retention, nowMs: number, msMax = PLAN_MS_MAX): Promise<RetentionPlan> {
  const endsAt = performance.now() + msMax;
  const leftMs = (): number => Math.floor(endsAt - performance.now());
  let isEstimate = false;
  const counted = async (from: string, values: readonly unknown[] = []): Promise<number> => {
    const { rows, isExact } = await countRows(sql, from, leftMs(), values);
    isEstimate ||= !isExact;
    return rows;
  };
  const recordsFrom = oldestKeptMs(retention.recordsDays, nowMs);
  const going = (await queryPartitions(sql)).filter(({ dayMs }) => dayMs < recordsFrom);
  const counts = { attempt: 0, record: 0 };
  const days = new Set<string>();
  for (const { table, name, dayMs } of going) {
    const rows = await counted(name);
    counts[table] += rows;
    if (rows > 0) days.add(dayText(dayMs));
  }
  const rollupsFrom = new Date(oldestKeptMs(retention.rollupsDays, nowMs));
  let rollupRows = 0;
  for (const table of DATED_TABLES) rollupRows += await counted(`${table.name} where ${tooOld(table, 'planned')}`, [rollupsFrom]);
  const bytes = going.reduce((sum, partition) => sum + partition.bytes, 0);
  return { isEstimate, attempts: counts.attempt, records: counts.record, rollupRows, bytes, days: [...days] };
}

/** How far back rows go now, and what they take. */
export async function queryRetentionStanding(sql: Queryable): Promise<RetentionStanding> {
  const filled: number[] = [];
  let bytes = 0;
  for (const partition of await queryPartitions(sql)) {
    bytes += partition.bytes;
    const { rows } = await sql.query(`select from ${partition.name} limit 1`);
    if (rows.length > 0) filled.push(partition.dayMs);
  }
  const days = [...new Set(filled)].sort((a, b) => a - b);
  const [oldest] = days;
  return { oldestDay: oldest === undefined ? null : dayText(oldest), days: days.length, bytes };
}

/**
 * Rows of a table, or those of it that a condition names. What cannot be counted in the time that is given is estimated as the planner
 * does, by the size of the table and its statistics. To be called in a transaction.
 *
 * @param from as it follows `from`; names in it come from the catalogue or from this code
 */
export async function countRows(
  sql: Queryable,
  from: string,
  msMax: number,
  values: readonly unknown[] = [],
): Promise<{ rows: number; isExact: boolean }> {
  const exact = msMax < 1 ? null : await countWithin(sql, from, msMax, values);
  if (exact !== null) return { rows: exact, isExact: true };
  const { rows } = await sql.query<{ 'QUERY PLAN': Plan }>(`explain (format json) select from ${from}`, [...values]);
  return { rows: rows[0]?.['QUERY PLAN'][0]?.Plan['Plan Rows'] ?? 0, isExact: false };
}

type Plan = readonly { readonly Plan: { readonly 'Plan Rows': number } }[];

/** Null when the time was over. */
async function countWithin(sql: Queryable, from: string, msMax: number, values: readonly unknown[]): Promise<number | null> {
  await sql.query('savepoint counting');
  await sql.query(`set local statement_timeout = ${Math.ceil(msMax)}`);
  try {
    const { rows } = await sql.query<{ rows: string }>(`select count(*) as rows from ${from}`, [...values]);
    return Number(rows[0]?.rows ?? 0);
  } catch (cause) {
    if (cause instanceof Error && (cause as { code?: unknown }).code === QUERY_CANCELED) return null;
    throw cause;
  } finally {
    // The limit goes with it.
    await sql.query('rollback to savepoint counting');
  }
}

const QUERY_CANCELED = '57014';

const dayText = (dayMs: number): string => new Date(dayMs).toISOString().slice(0, 10);

function dayOf(name: string, table: string): number | null {
  const [, year, month, day] = /^_(\d{4})(\d{2})(\d{2})$/.exec(name.slice(table.length)) ?? [];
  return year === undefined ? null : Date.UTC(Number(year), Number(month) - 1, Number(day));
}
