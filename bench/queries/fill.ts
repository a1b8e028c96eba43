import { ANNOTATION_CODES, ASSESSMENT_CODES, MARK_CODES, REASON_CODES, VERDICT_CODES } from '@/db/codes';
import type { Sql } from '@/db/connect';

const DAY_MS = 86_400_000;
const SERVERS = 20;
/** Attempts of one session, spread over half an hour. */
const PER_SESSION = 25;

/**
 * Fills a migrated database with `attempts` attempts over the `days` before `untilMs`, evenly spread: most of them
 * resumed rightly, 8 % refused, 2 % unsafe. Rows and rollups are made by SQL, the rollups from the rows, so that
 * they agree as those of the product do.
 */
export async function fill(sql: Sql, attempts: number, days: number, untilMs: number): Promise<void> {
  await sql`set statement_timeout = 0`;
  await sql`set synchronous_commit = off`;
  await sql`insert into server (name) select 'server-' || s from generate_series(1, ${SERVERS}) s`;
  await sql`insert into node (name) select 'node-' || s from generate_series(1, ${SERVERS * 3}) s`;
  const fromMs = untilMs - days * DAY_MS;
  for (let day = Math.floor(fromMs / DAY_MS); day <= Math.floor(untilMs / DAY_MS); day++) await makeDay(sql, day);
  // Indexes are made when their rows are there: much faster than row by row.
  const indexes = await sql<{ name: string; definition: string }[]>`
    select indexname as name, indexdef as definition from pg_indexes where tablename = 'attempt' and indexname <> 'attempt_at_id_pk'`;
  for (const { name } of indexes) await sql.unsafe(`drop index ${name}`);
  const perDay = attempts / days;
  for (let day = 0; day < days; day++) await insertRows(sql, Math.round(perDay), day, fromMs + day * DAY_MS);
  for (const { definition } of indexes) await sql.unsafe(definition.replace(' ON ONLY ', ' ON '));
  await insertRollups(sql);
  await sql.unsafe('vacuum analyze');
}

async function makeDay(sql: Sql, day: number): Promise<void> {
  const from = new Date(day * DAY_MS).toISOString();
  const to = new Date((day + 1) * DAY_MS).toISOString();
  for (const table of ['attempt', 'record']) {
    await sql.unsafe(
      `create table if not exists ${table}_${from.slice(0, 10).replaceAll('-', '')} partition of ${table} for values from ('${from}') to ('${to}')`,
    );
  }
}

/** Attempt i is the (i mod 100)th of its hundred: 0 and 1 unsafe, 2 to 9 refused, the rest resumed. */
async function insertRows(sql: Sql, count: number, day: number, fromMs: number): Promise<void> {
  const { unsafe_resume, refused, resumed } = MARK_CODES;
  await sql.unsafe(`
    insert into attempt (at, id, received_at, arrival, server_id, node_id, session_ref, generation, cursor, floor, head, status, latency_ms,
      act, verdict, reason, assessment, mark, is_unavailable, gap_count, replay_count, lead, body)
    select at, gen_random_uuid(), at, i, 1 + session % ${SERVERS}, 1 + session % ${SERVERS * 3}, md5('${day}/' || session)::uuid, '3', 1000 + i % 90, 1050, 1100,
      case when kind < 2 then 200 when kind < 10 then 409 else 200 end, 1 + i % 50,
      case when kind < 2 then 0 when kind < 10 then 1 else 0 end,
      case when kind < 10 then ${VERDICT_CODES.refuse} else ${VERDICT_CODES.resume} end,
      case when kind < 10 then ${REASON_CODES.below_floor} else ${REASON_CODES.ok} end,
      case when kind < 2 then ${ASSESSMENT_CODES.unsafe_resume} else ${ASSESSMENT_CODES.correct} end,
      case when kind < 2 then ${unsafe_resume} when kind < 10 then ${refused} else ${resumed} end,
      kind between 2 and 9, case when kind < 10 then 1 + i % 40 else 0 end, case when kind < 10 then null else 5 end,
      case when kind < 10 then -1 - i % 40 else i % 50 end, '{"type":"resume_attempt","verdict":"resumed","last_event_id":"1041"}'
    from (
      select i, (i * 7919) % 100 as kind, i / ${PER_SESSION} as session,
        to_timestamp((${fromMs} + (i / ${PER_SESSION}) * (${DAY_MS - 1_800_000}::float8 / ${Math.ceil(count / PER_SESSION)})
          + (i % ${PER_SESSION}) * 72000) / 1000) as at
      from generate_series(0::bigint, ${count - 1}::bigint) i
    ) rows`);
}

async function insertRollups(sql: Sql): Promise<void> {
  const sums = 'count(*), count(*) filter (where is_unavailable), coalesce(sum(gap_count), 0), count(*) filter (where gap_count is null)';
  const hour = "date_bin('1 hour', at, 'epoch'::timestamptz)";
  const bucket = (column: string) =>
    `case when ${column} = 0 then 0 when ${column} < 0 then -(1 + floor(4 * log(2, -${column}::numeric))) else 1 + floor(4 * log(2, ${column}::numeric)) end::int`;
  await sql.unsafe(
    `insert into attempt_minute select date_bin('1 minute', at, 'epoch'::timestamptz), reason, assessment, ${sums} from attempt group by 1, 2, 3`,
  );
  await sql.unsafe(`insert into server_hour (bucket, server_id, reason, assessment, attempts, unavailable, gap_events, uncounted, first_at, last_at, lead_min, kept_max, needed_max)
    select ${hour}, server_id, reason, assessment, ${sums}, min(at), max(at), min(lead) filter (where mark = ${MARK_CODES.resumed}),
      max(head - floor + 1), max(head - cursor) from attempt group by 1, 2, 3, 4`);
  for (const [measure, column] of [
    [0, 'gap_count'],
    [1, 'replay_count'],
    [2, 'lead'],
    [3, '(latency_ms * 1000)::bigint'],
  ] as const) {
    await sql.unsafe(
      `insert into attempt_histogram select ${hour}, ${measure}, mark, ${bucket(column)}, count(*) from attempt where ${column} is not null group by 1, 3, 4`,
    );
  }
  await sql.unsafe(
    `insert into session_hour (hour, server_id, session_ref, unsafe) select ${hour}, server_id, session_ref, count(*) filter (where mark = 0) from attempt group by 1, 2, 3`,
  );
  const before = "coalesce(lag(hour) over (partition by session_ref order by hour), '-infinity') as before";
  for (const [isUnsafe, which] of [
    ['false', 'true'],
    ['true', 'unsafe > 0'],
  ]) {
    await sql.unsafe(`insert into session_count (hour, server_id, is_unsafe, before, sessions)
      select hour, server_id, ${isUnsafe}, before, count(*) from (select hour, server_id, ${before} from session_hour where ${which}) h group by 1, 2, 4`);
  }
  await sql.unsafe(`insert into session (ref, server_id, first_at, last_at, records, attempts, unsafe)
    select session_ref, min(server_id), min(at), max(at), count(*), count(*), count(*) filter (where mark = 0) from attempt group by 1`);
  await sql.unsafe('insert into server_activity select server_id, count(*), min(at), max(at) from attempt group by 1');
  await sql.unsafe('insert into server_node select server_id, node_id, count(*), min(at), max(at) from attempt group by 1, 2');
  // Every server evicts in every minute and boots four times a day.
  for (const [isHour, unit] of [
    ['false', '1 minute'],
    ['true', '1 hour'],
  ]) {
    for (const [kind, every] of [
      [ANNOTATION_CODES.eviction, unit],
      [ANNOTATION_CODES.boot, '6 hours'],
    ]) {
      await sql.unsafe(`insert into annotation (is_hour, kind, bucket, server_id, count)
        select ${isHour}, ${kind}, bucket, s.id, 1 from server s,
          (select generate_series(date_bin('${every}', min(at), 'epoch'::timestamptz), max(at), '${every}') as bucket from attempt) b`);
    }
  }
  await sql.unsafe('insert into record_type select 0, count(*), min(at), max(at) from attempt');
}
