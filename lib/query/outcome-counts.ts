import type { Sql } from '@/db/connect';
import { attemptFactsSource, outcomeSums, type PeriodFilter } from '@/lib/query/attempt-facts-source';
import type { OutcomeCount } from '@/lib/query/measures';

/** Attempts of a filter by reason and assessment. */
export function queryOutcomeCounts(sql: Sql, filter: PeriodFilter): Promise<OutcomeCount[]> {
  const facts = attemptFactsSource(sql, filter, { stepMs: null, byServer: false });
  return sql<OutcomeCount[]>`select ${outcomeSums(sql)} from ${facts} f group by f.reason, f.assessment`;
}
