import type { Sql } from '@/db/connect';
import { ANY_ATTEMPT } from '@/lib/query/attempt-filter';
import { outcomeOf } from '@/lib/query/measures';
import { queryOutcomeCounts } from '@/lib/query/outcome-counts';
import type { Reason } from '@/lib/resume/types';
import type { Period } from '@/lib/rollup/period-parts';

/** How far back a route's days in shadow are looked for. */
const PAST_MS = 30 * 86_400_000;
/** Newest stretches in shadow that are counted. */
const STRETCHES_MAX = 20;
const SWITCHES_MAX = 500;
const SWITCHES = ['proxy.mode_switched', 'proxy.breaker_tripped'];

interface SwitchRow {
  readonly at: Date;
  readonly before: string | null;
  readonly after: string | null;
}

/**
 * What the rules said of the attempts of a proxy route while it was in shadow, of the last 30 days: attempts by reason. When that was is
 * read from the change log; where it names no switch, the route is taken to have been as it is.
 *
 * @param mode the route's mode now
 */
export async function queryShadowCounts(
  sql: Sql,
  { route, mode }: { readonly route: string; readonly mode: string },
  nowMs: number,
): Promise<ReadonlyMap<Reason, number>> {
  const sinceMs = nowMs - PAST_MS;
  const switches = await sql<SwitchRow[]>`
    select at, before, after from change_log
    where action in ${sql(SWITCHES)} and subject = ${route} and at >= ${new Date(sinceMs)}
    order by seq desc limit ${SWITCHES_MAX}`;
  const counts = new Map<Reason, number>();
  for (const period of shadowStretches(switches, mode, { fromMs: sinceMs, toMs: nowMs }).slice(0, STRETCHES_MAX)) {
    for (const { reason: code, assessment, attempts } of await queryOutcomeCounts(sql, { ...ANY_ATTEMPT, servers: [route], ...period })) {
      const { reason } = outcomeOf(code, assessment);
      if (reason !== null) counts.set(reason, (counts.get(reason) ?? 0) + Number(attempts));
    }
  }
  return counts;
}

/** Periods in shadow, newest first. */
function shadowStretches(switches: readonly SwitchRow[], mode: string, { fromMs, toMs }: Period): Period[] {
  const stretches: Period[] = [];
  let end = { atMs: toMs, mode: modeIn(switches[0]?.after ?? null) ?? mode };
  for (const { at, before } of switches) {
    if (end.mode === 'shadow' && at.getTime() < end.atMs) stretches.push({ fromMs: at.getTime(), toMs: end.atMs });
    end = { atMs: at.getTime(), mode: modeIn(before) ?? end.mode };
  }
  if (end.mode === 'shadow' && fromMs < end.atMs) stretches.push({ fromMs, toMs: end.atMs });
  return stretches;
}

/** The mode in a change that this product wrote. */
function modeIn(text: string | null): string | null {
  const value: unknown = text === null ? null : JSON.parse(text);
  return typeof value === 'object' && value !== null && 'mode' in value && typeof value.mode === 'string' ? value.mode : null;
}
