import { FINDING_CODES } from '@/db/codes';
import type { Sql } from '@/db/connect';
import type { Labels } from '@/lib/alerting/labels';
import type { FindingMeasure } from '@/lib/alerting/measures';
import { type LossFacts, NO_FACTS } from '@/lib/alerting/notification';
import type { Dimension, Rule } from '@/lib/alerting/rule';
import type { Bucket } from '@/lib/alerting/sample';
import { refOfUuid } from '@/lib/query/attempt-item';

/** Sets of labels and stretches that one reading returns. */
const ROWS_MAX = 20_000;
/** A finding about records whose own time lies further back is history that was handed in later: it wakes nobody. */
const LATENESS_MAX_MS = 2 * 86_400_000;
/** Findings whose count is events that a client went without. */
const LOSSES: readonly FindingMeasure[] = ['gap', 'missignalled_caught_up', 'stalled_delivery'];
/** Findings whose count is calls. */
const CALLS: readonly FindingMeasure[] = ['lost_response', 'possible_duplicate_execution'];

/**
 * Findings of one code by the time at which the audit first told of them, from `fromMs` (inclusive) to `toMs`, in
 * stretches of `stepMs` counted from `fromMs`. A finding that grows counts once.
 */
export async function findingBuckets(
  sql: Sql,
  code: FindingMeasure,
  rule: Pick<Rule, 'filter' | 'groupBy'>,
  fromMs: number,
  toMs: number,
  stepMs: number,
): Promise<Bucket[]> {
  const isBy = (dimension: Dimension): boolean => rule.groupBy.includes(dimension);
  const rows = await sql<BucketRow[]>`
    select floor((extract(epoch from f.known_at) * 1000 - ${fromMs}) / ${stepMs})::int as step,
      ${isBy('server') ? sql`s.name` : sql`''`} as server, ${isBy('session') ? sql`f.session_ref` : sql`null::uuid`} as session,
      count(*)::int as count, max(f.known_at) as last
    from finding f join server s on s.id = f.server_id
    where ${conditions(sql, code, rule.filter, fromMs, toMs)}
    group by 1, 2, 3 order by 4 desc limit ${ROWS_MAX}`;
  return rows.map((row) => ({
    startMs: fromMs + row.step * stepMs,
    labels: Object.fromEntries(rule.groupBy.map((name) => [name, labelOf(name, row)])),
    count: row.count,
    attempts: 0,
    leadMin: null,
    lastMs: row.last.getTime(),
  }));
}

/** How much the findings of one code under these labels say is lost, and the newest of them as the proof. */
export async function findingFacts(
  sql: Sql,
  code: FindingMeasure,
  filter: Rule['filter'],
  labels: Labels,
  fromMs: number,
  toMs: number,
): Promise<LossFacts> {
  const wanted = { ...filter, ...Object.fromEntries(Object.entries(labels).map(([name, value]) => [name, [value]])) };
  const where = conditions(sql, code, wanted, fromMs, toMs);
  const [row] = await sql<{ count: string; sessions: number; at_least: boolean | null }[]>`
    select coalesce(sum(f.count), 0)::text as count, count(distinct f.session_ref)::int as sessions,
      bool_or((f.body::json ->> 'exact') = 'false') as at_least
    from finding f join server s on s.id = f.server_id where ${where}`;
  const [proof] = await sql<{ id: string; session_ref: string | null; server: string }[]>`
    select f.id, f.session_ref, s.name as server from finding f join server s on s.id = f.server_id
    where ${where} order by f.known_at desc, f.id limit 1`;
  if (row === undefined || proof === undefined) return NO_FACTS;
  return {
    ...NO_FACTS,
    events: LOSSES.includes(code) ? row.count : null,
    eventsAtLeast: row.at_least ?? false,
    sessions: row.sessions,
    calls: CALLS.includes(code) ? Number(row.count) : null,
    proof: {
      path: `/findings/${proof.id}`,
      session: proof.session_ref === null ? null : refOfUuid(proof.session_ref),
      server: proof.server,
    },
  };
}

function conditions(sql: Sql, code: FindingMeasure, filter: Rule['filter'], fromMs: number, toMs: number) {
  const { server, session, ...others } = filter;
  // What a finding does not have is empty text: only a filter that wants exactly that lets it pass.
  const isOut = Object.values(others).some((values) => !values.includes(''));
  return sql`f.code = ${FINDING_CODES[code]} and f.known_at >= ${new Date(fromMs)} and f.known_at < ${new Date(toMs)}
    and f.at >= ${new Date(fromMs - LATENESS_MAX_MS)} and ${isOut ? sql`false` : sql`true`}
    and ${server === undefined ? sql`true` : sql`s.name in ${sql([...server])}`}
    and ${session === undefined ? sql`true` : sql`coalesce(replace(f.session_ref::text, '-', ''), '') in ${sql([...session])}`}`;
}

function labelOf(name: Dimension, { server, session }: BucketRow): string {
  if (name === 'server') return server;
  return name === 'session' && session !== null ? refOfUuid(session) : '';
}

interface BucketRow {
  readonly step: number;
  readonly server: string;
  readonly session: string | null;
  readonly count: number;
  readonly last: Date;
}
