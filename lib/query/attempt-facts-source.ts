import { UNDECIDED_CODE } from '@/db/codes';
import type { Sql } from '@/db/connect';
import { type AttemptFilter, attemptConditions, namesServers, ofServers, outcomeCodes } from '@/lib/query/attempt-filter';
import { HOUR_MS, MINUTE_MS } from '@/lib/rollup/increments';
import { type Period, periodParts } from '@/lib/rollup/period-parts';

/** A filter whose period is bounded. */
export type PeriodFilter = AttemptFilter & Period;

/** What the reader of facts tells apart. */
export interface Grain {
  /** Width of a step in time; null when time is not told apart. */
  readonly stepMs: number | null;
  readonly byServer: boolean;
}

/**
 * Countable facts about the attempts of a filter, as a fragment that stands for a table: at, server_id, reason,
 * assessment, attempts, unavailable, gap_events, uncounted. One row may stand for many attempts; then `at` is the
 * begin of their bucket, and `server_id` is null where servers were not asked for.
 *
 * Rollups answer for the whole minutes or hours inside the period and the rows themselves for its edges, so the
 * sums are exact. A filter that no rollup knows is answered by the rows alone. Where it asks whether attempts are
 * `unavailable`, gaps are those of the whole outcome: they are summed for losses only, and no refusal is one.
 */
export function attemptFactsSource(sql: Sql, filter: PeriodFilter, grain: Grain) {
  const rollup = rollupFor(filter, grain);
  if (rollup === null) return sql`(${rowFacts(sql, filter)})`;
  const { inner, edges } = periodParts(filter, rollup.unitMs);
  const parts = edges.map((edge) => rowFacts(sql, { ...filter, ...edge }));
  if (inner !== null) parts.push(rollupFacts(sql, { ...filter, ...inner }, rollup.table));
  return sql`(${parts.reduce((all, next) => sql`${all} union all ${next}`)})`;
}

/** The sums of facts (alias `f`) that an `OutcomeCount` holds. */
export function outcomeSums(sql: Sql) {
  return sql`f.reason::int as reason, f.assessment::int as assessment, sum(f.attempts)::bigint as attempts,
    sum(f.unavailable)::bigint as unavailable, sum(f.gap_events)::text as gap_events, sum(f.uncounted)::bigint as uncounted`;
}

interface Rollup {
  readonly table: 'attempt_minute' | 'server_hour';
  readonly unitMs: number;
}

function rollupFor(filter: AttemptFilter, { stepMs, byServer }: Grain): Rollup | null {
  if (!isRolledUp(filter)) return null;
  const rollup: Rollup =
    byServer || namesServers(filter) ? { table: 'server_hour', unitMs: HOUR_MS } : { table: 'attempt_minute', unitMs: MINUTE_MS };
  return stepMs === null || stepMs % rollup.unitMs === 0 ? rollup : null;
}

/** Whether rollups tell the filter's attempts from others. */
export function isRolledUp(filter: AttemptFilter): boolean {
  const { session, client, protocolVersion, text, gapMin, gapMax } = filter;
  return [session, client, protocolVersion, text, gapMin, gapMax].every((value) => value === null);
}

function rowFacts(sql: Sql, filter: AttemptFilter) {
  return sql`
    select a.at, a.server_id, coalesce(a.reason, ${UNDECIDED_CODE}::smallint) as reason, a.assessment, 1::bigint as attempts,
      a.is_unavailable::int::bigint as unavailable, coalesce(a.gap_count, 0)::numeric as gap_events,
      (a.gap_count is null)::int::bigint as uncounted
    from attempt a
    where ${attemptConditions(sql, filter)}`;
}

function rollupFacts(sql: Sql, filter: PeriodFilter, table: Rollup['table']) {
  const codes = outcomeCodes(filter);
  const server = table === 'server_hour' ? sql`r.server_id` : sql`null::int`;
  const ofOutcomes = codes === null ? sql`true` : codes.length === 0 ? sql`false` : sql`r.reason * 16 + r.assessment in ${sql(codes)}`;
  const { attempts, unavailable } = rolledCounts(sql, filter.unavailable);
  return sql`
    select r.bucket as at, ${server} as server_id, r.reason, r.assessment, ${attempts} as attempts, ${unavailable} as unavailable,
      r.gap_events, r.uncounted
    from ${sql(table)} r
    where r.bucket >= ${new Date(filter.fromMs)} and r.bucket < ${new Date(filter.toMs)} and ${attempts} <> 0 and ${ofServers(sql, filter, 'r')} and ${ofOutcomes}`;
}

function rolledCounts(sql: Sql, unavailable: boolean | null) {
  if (unavailable === null) return { attempts: sql`r.attempts`, unavailable: sql`r.unavailable` };
  return unavailable
    ? { attempts: sql`r.unavailable`, unavailable: sql`r.unavailable` }
    : { attempts: sql`(r.attempts - r.unavailable)`, unavailable: sql`0::bigint` };
}
