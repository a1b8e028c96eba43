import type { Tx } from '@/db/transactions';
import {
  annotationKey,
  HOUR_MS,
  type HourSums,
  type Increments,
  MINUTE_MS,
  type Span,
  splitAnnotationKey,
  splitHistogramKey,
  splitOutcomeKey,
} from '@/lib/rollup/increments';
import { countSessions } from '@/lib/store/session-counts';

type Field = string | number | bigint | boolean | null;

/** A rollup table: how its rows are added to. Columns come with their types; the first `keys` of them are its key. */
interface RollupTable {
  readonly name: string;
  readonly columns: readonly (readonly [name: string, type: string])[];
  readonly keys: number;
  /** How a stored value and a new one become one; absent columns keep what they have. */
  readonly merge: Readonly<Record<string, 'add' | 'least' | 'greatest'>>;
  /** Which rows are worth an update when they are there already; all, unless given. Others are not even locked. */
  readonly mergeWhen?: string;
  readonly rows: (increments: Increments) => Field[][];
}

const SPAN_COLUMNS = [
  ['first_at', 'timestamptz'],
  ['last_at', 'timestamptz'],
  ['records', 'bigint'],
] as const;
const SPAN_MERGE = { first_at: 'least', last_at: 'greatest', records: 'add' } as const;
const SUM_COLUMNS = [
  ['attempts', 'bigint'],
  ['unavailable', 'bigint'],
  ['gap_events', 'numeric'],
  ['uncounted', 'bigint'],
] as const;
const SUM_MERGE = { attempts: 'add', unavailable: 'add', gap_events: 'add', uncounted: 'add' } as const;

const instant = (ms: number): string => new Date(ms).toISOString();
const spanFields = ({ firstMs, lastMs, records }: Span): Field[] => [instant(firstMs), instant(lastMs), records];

const TABLES: readonly RollupTable[] = [
  {
    name: 'attempt_minute',
    columns: [['bucket', 'timestamptz'], ['reason', 'smallint'], ['assessment', 'smallint'], ...SUM_COLUMNS],
    keys: 3,
    merge: SUM_MERGE,
    rows: ({ minutes }) =>
      [...minutes].map(([key, s]) => {
        const { period, reason, assessment } = splitOutcomeKey(key);
        return [instant(period * MINUTE_MS), reason, assessment, s.attempts, s.unavailable, s.gapEvents, s.uncounted];
      }),
  },
  {
    name: 'server_hour',
    columns: [
      ['bucket', 'timestamptz'],
      ['server_id', 'int'],
      ['reason', 'smallint'],
      ['assessment', 'smallint'],
      ...SUM_COLUMNS,
      ['first_at', 'timestamptz'],
      ['last_at', 'timestamptz'],
      ['lead_min', 'bigint'],
      ['kept_max', 'bigint'],
      ['needed_max', 'bigint'],
    ],
    keys: 4,
    merge: { ...SUM_MERGE, first_at: 'least', last_at: 'greatest', lead_min: 'least', kept_max: 'greatest', needed_max: 'greatest' },
    rows: ({ servers }) => [...servers].flatMap(([id, server]) => [...server.hours].map(([key, sums]) => serverHourRow(id, key, sums))),
  },
  {
    name: 'attempt_histogram',
    columns: [
      ['hour', 'timestamptz'],
      ['measure', 'smallint'],
      ['mark', 'smallint'],
      ['bucket', 'smallint'],
      ['count', 'bigint'],
    ],
    keys: 4,
    merge: { count: 'add' },
    rows: ({ histogram }) =>
      [...histogram].map(([key, count]) => {
        const { hour, measure, mark, bucket } = splitHistogramKey(key);
        return [instant(hour * HOUR_MS), measure, mark, bucket, count];
      }),
  },
  {
    name: 'record_type',
    columns: [['type', 'smallint'], ...SPAN_COLUMNS],
    keys: 1,
    merge: SPAN_MERGE,
    rows: ({ types }) => [...types].map(([type, span]) => [type, ...spanFields(span)]),
  },
  {
    name: 'server_activity',
    columns: [['server_id', 'int'], ...SPAN_COLUMNS],
    keys: 1,
    merge: SPAN_MERGE,
    rows: ({ servers }) => [...servers].map(([id, span]) => [id, ...spanFields(span)]),
  },
  {
    name: 'server_node',
    columns: [['server_id', 'int'], ['node_id', 'int'], ...SPAN_COLUMNS],
    keys: 2,
    merge: SPAN_MERGE,
    rows: ({ servers }) => [...servers].flatMap(([id, { nodes }]) => [...nodes].map(([node, span]) => [id, node, ...spanFields(span)])),
  },
  {
    name: 'annotation',
    columns: [
      ['is_hour', 'boolean'],
      ['kind', 'smallint'],
      ['bucket', 'timestamptz'],
      ['server_id', 'int'],
      ['count', 'bigint'],
    ],
    keys: 4,
    merge: { count: 'add' },
    rows: ({ servers }) => [...servers].flatMap(([id, { annotations }]) => annotationRows(id, annotations)),
  },
  {
    name: 'session',
    columns: [['ref', 'uuid'], ['server_id', 'int'], ...SPAN_COLUMNS, ['attempts', 'bigint'], ['unsafe', 'bigint']],
    keys: 1,
    merge: { ...SPAN_MERGE, attempts: 'add', unsafe: 'add' },
    rows: ({ sessions }) => [...sessions].map(([ref, s]) => [ref, s.server, ...spanFields(s), s.attempts, s.unsafe]),
  },
  {
    name: 'session_hour',
    columns: [
      ['hour', 'timestamptz'],
      ['server_id', 'int'],
      ['session_ref', 'uuid'],
      ['unsafe', 'bigint'],
    ],
    keys: 3,
    merge: { unsafe: 'add' },
    mergeWhen: 'given.unsafe <> 0',
    rows: ({ sessions }) =>
      [...sessions].flatMap(([ref, s]) => s.hours.map(({ hour, unsafe }) => [instant(hour * HOUR_MS), s.server, ref, unsafe])),
  },
];

/** Each note twice: by its minute and, added up, by its hour. */
function annotationRows(server: number, annotations: ReadonlyMap<number, number>): Field[][] {
  const hours = new Map<number, number>();
  const minutes = [...annotations].map(([key, count]) => {
    const { minute, kind } = splitAnnotationKey(key);
    const hourKey = annotationKey(Math.floor((minute * MINUTE_MS) / HOUR_MS), kind);
    hours.set(hourKey, (hours.get(hourKey) ?? 0) + count);
    return [false, kind, instant(minute * MINUTE_MS), server, count];
  });
  const hourRows = [...hours].map(([key, count]) => {
    const { minute: hour, kind } = splitAnnotationKey(key);
    return [true, kind, instant(hour * HOUR_MS), server, count];
  });
  return [...minutes, ...hourRows];
}

function serverHourRow(server: number, key: number, sums: HourSums): Field[] {
  const { period, reason, assessment } = splitOutcomeKey(key);
  const { attempts, unavailable, gapEvents, uncounted, firstMs, lastMs, leadMin, keptMax, neededMax } = sums;
  const measures = [attempts, unavailable, gapEvents, uncounted, instant(firstMs), instant(lastMs), leadMin, keptMax, neededMax];
  return [instant(period * HOUR_MS), server, reason, assessment, ...measures];
}

/** Adds increments to every rollup table; rows in key order, so that processes that add at once do not deadlock. */
export async function addToRollups(tx: Tx, increments: Increments): Promise<void> {
  for (const table of TABLES) {
    // Once the rows of the sessions are locked, and before their hours are known.
    if (table.name === 'session_hour') await countSessions(tx, increments);
    const rows = table.rows(increments);
    if (rows.length === 0) continue;
    const arrays = table.columns.map((_column, index) => rows.map((row) => row[index] ?? null));
    await tx.query({ name: `add to ${table.name}`, text: statementOf(table), values: arrays });
  }
  await refreshLeads(tx, increments.stale);
}

/** Asks the rows again for the smallest lead of outcomes that an attempt has left. */
async function refreshLeads(tx: Tx, stale: ReadonlySet<string>): Promise<void> {
  for (const key of [...stale].sort()) {
    const [server, outcome] = key.split(' ').map(Number);
    const { period, reason, assessment } = splitOutcomeKey(outcome ?? 0);
    await tx.query({
      name: 'refresh lead',
      text: `update server_hour set lead_min = (select min(lead) from attempt
          where server_id = $2 and at >= $1 and at < $1 + interval '1 hour' and reason = $3 and assessment = $4)
        where bucket = $1 and server_id = $2 and reason = $3 and assessment = $4`,
      values: [instant(period * HOUR_MS), server, reason, assessment],
    });
  }
}

function statementOf({ name, columns, keys, merge, mergeWhen }: RollupTable): string {
  const names = columns.map(([column]) => column);
  const keyNames = names.slice(0, keys);
  const key = keyNames.join(', ');
  const sets = Object.entries(merge).map(([column, how]) =>
    how === 'add' ? `${column} = t.${column} + excluded.${column}` : `${column} = ${how}(t.${column}, excluded.${column})`,
  );
  const given = columns.map(([, type], index) => `$${index + 1}::${type}[]`).join(', ');
  const isThere = `exists (select from ${name} h where ${keyNames.map((column) => `h.${column} = given.${column}`).join(' and ')})`;
  return (
    `insert into ${name} as t (${names.join(', ')}) select * from unnest(${given}) as given (${names.join(', ')}) ` +
    `${mergeWhen === undefined ? '' : `where ${mergeWhen} or not ${isThere} `}order by ${key} ` +
    `on conflict (${key}) do update set ${sets.join(', ')}`
  );
}
