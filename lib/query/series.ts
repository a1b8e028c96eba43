import type { Sql } from '@/db/connect';
import { attemptFactsSource, outcomeSums, type PeriodFilter } from '@/lib/query/attempt-facts-source';
import { queryBlindness } from '@/lib/query/blindness';
import { encodeCount, isLoss, type OutcomeCount, outcomeOf } from '@/lib/query/measures';
import type { SERIES_KEYS, Series } from '@/lib/wire/responses';

export type SeriesKey = (typeof SERIES_KEYS)[number];

/** Servers that a chart tells apart; the others are one. */
const SERVERS_MAX = 20;
export const OTHER_SERVERS = 'other';
export const UNDECIDED = 'undecided';

type StepCount = OutcomeCount & { readonly step: Date; readonly server?: string };

/** Attempts over time, one point per step, told apart by one of their properties. Steps lie on multiples of the step since 1970. */
export async function querySeries(sql: Sql, filter: PeriodFilter, stepS: number, by: SeriesKey): Promise<Series> {
  const [rows, blindness] = await Promise.all([
    by === 'server' ? countByServer(sql, filter, stepS) : countByOutcome(sql, filter, stepS),
    queryBlindness(sql, filter),
  ]);
  const points = emptyPoints(filter, stepS);
  const totals = new Map<string, number>();
  for (const row of rows) {
    const point = points.get(row.step.getTime());
    if (point === undefined) continue;
    const outcome = outcomeOf(row.reason, row.assessment);
    const key = by === 'server' ? (row.server ?? OTHER_SERVERS) : (outcome[by] ?? UNDECIDED);
    const attempts = Number(row.attempts);
    point.counts[key] = (point.counts[key] ?? 0) + attempts;
    totals.set(key, (totals.get(key) ?? 0) + attempts);
    point.unavailable += Number(row.unavailable);
    if (isLoss(outcome.mark)) point.lost += BigInt(row.gap_events);
  }
  return {
    from: new Date(filter.fromMs).toISOString(),
    to: new Date(filter.toMs).toISOString(),
    step_s: stepS,
    by,
    ...blindness,
    keys: [...totals].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)).map(([key]) => key),
    points: [...points].map(([ms, { counts, lost, unavailable }]) => ({
      at: new Date(ms).toISOString(),
      counts,
      events_lost: encodeCount(lost),
      resume_unavailable: unavailable,
    })),
  };
}

function countByOutcome(sql: Sql, filter: PeriodFilter, stepS: number): Promise<StepCount[]> {
  return sql<StepCount[]>`
    select ${stepOf(sql, stepS)} as step, ${outcomeSums(sql)}
    from ${attemptFactsSource(sql, filter, { stepMs: stepS * 1000, byServer: false })} f
    group by 1, f.reason, f.assessment`;
}

function countByServer(sql: Sql, filter: PeriodFilter, stepS: number): Promise<StepCount[]> {
  return sql<StepCount[]>`
    with facts as (select * from ${attemptFactsSource(sql, filter, { stepMs: stepS * 1000, byServer: true })} s),
      largest as (select server_id from facts group by 1 order by sum(attempts) desc, 1 limit ${SERVERS_MAX})
    select ${stepOf(sql, stepS)} as step, coalesce(s.name, ${OTHER_SERVERS}) as server, ${outcomeSums(sql)}
    from facts f left join largest l on l.server_id = f.server_id left join server s on s.id = l.server_id
    group by 1, 2, f.reason, f.assessment`;
}

function stepOf(sql: Sql, stepS: number) {
  return sql`date_bin(make_interval(secs => ${stepS}), f.at, 'epoch'::timestamptz)`;
}

interface Point {
  readonly counts: Record<string, number>;
  lost: bigint;
  unavailable: number;
}

function emptyPoints({ fromMs, toMs }: PeriodFilter, stepS: number): Map<number, Point> {
  const stepMs = stepS * 1000;
  const points = new Map<number, Point>();
  for (let ms = Math.floor(fromMs / stepMs) * stepMs; ms < toMs; ms += stepMs) points.set(ms, { counts: {}, lost: 0n, unavailable: 0 });
  return points;
}
