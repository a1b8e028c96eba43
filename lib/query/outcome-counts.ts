import type { Sql } from '@/db/connect';
import { attemptFactsSource, outcomeSums } from '@/lib/query/attempt-facts-source';
import type { AttemptFilter } from '@/lib/query/attempt-filter';
import type { OutcomeCount } from '@/lib/query/measures';

/** Attempts of a filter by reason and assessment. */
export function queryOutcomeCounts(sql: Sql, filter: AttemptFilter): Promise<OutcomeCount[]> {
  return sql<OutcomeCount[]>`select ${outcomeSums(sql)} from ${attemptFactsSource(sql, filter)} f group by f.reason, f.assessment`;
}
