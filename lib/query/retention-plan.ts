import type { Queryable } from '@/db/transactions';
import { oldestKeptMs, type Retention } from '@/lib/config/retention';

/** Tables that are partitioned by day. */
const PARTITIONED = ['attempt', 'record'] as const;

/** Tables of rollups and of what belongs to them, with the column that dates a row. */
export const DATED_TABLES = [
  ['attempt_minute', 'bucket'],
  ['server_hour', 'bucket'],
  ['attempt_histogram', 'hour'],
  ['annotation', 'bucket'],
  ['session_hour', 'hour'],
  ['session_count', 'hour'],
  ['session', 'last_at'],
  ['set_aside_rollup', 'at'],
  ['finding', 'at'],
  ['telemetry_loss', 'until'],
  ['producer_epoch', 'last_at'],
] as const;

export interface DayPartition {
  readonly table: (typeof PARTITIONED)[number];
  readonly name: string;
  /** First instant of its day. */
  readonly dayMs: number;
  readonly bytes: number;
}

/** What retention would remove at an instant, counted. */
export interface RetentionPlan {
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

/** Counts, exactly, what a retention would remove at an instant; nothing is changed. */
export async function planRetention(sql: Queryable, retention: Retention, nowMs: number): Promise<RetentionPlan> {
  const recordsFrom = oldestKeptMs(retention.recordsDays, nowMs);
  const going = (await queryPartitions(sql)).filter(({ dayMs }) => dayMs < recordsFrom);
  const counts = { attempt: 0, record: 0 };
  const days = new Set<string>();
  for (const { table, name, dayMs } of going) {
    const rows = await countRows(sql, name);
    counts[table] += rows;
    if (rows > 0) days.add(dayText(dayMs));
  }
  const rollupsFrom = new Date(oldestKeptMs(retention.rollupsDays, nowMs));
  let rollupRows = 0;
  for (const [table, column] of DATED_TABLES) {
    const { rows } = await sql.query<{ rows: string }>(`select count(*) as rows from ${table} where ${column} < $1`, [rollupsFrom]);
    rollupRows += Number(rows[0]?.rows ?? 0);
  }
  const bytes = going.reduce((sum, partition) => sum + partition.bytes, 0);
  return { attempts: counts.attempt, records: counts.record, rollupRows, bytes, days: [...days] };
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

/** Rows of one partition; its name comes from the catalogue. */
export async function countRows(sql: Queryable, partition: string): Promise<number> {
  const { rows } = await sql.query<{ rows: string }>(`select count(*) as rows from ${partition}`);
  return Number(rows[0]?.rows ?? 0);
}

const dayText = (dayMs: number): string => new Date(dayMs).toISOString().slice(0, 10);

function dayOf(name: string, table: string): number | null {
  const [, year, month, day] = /^_(\d{4})(\d{2})(\d{2})$/.exec(name.slice(table.length)) ?? [];
  return year === undefined ? null : Date.UTC(Number(year), Number(month) - 1, Number(day));
}
