'use client';

import { ATTEMPT_LANGUAGE, queryOfFilters } from '@/components/attempts/attempt-query';
import { hasFilters, NO_FILTERS, useAttemptFilters } from '@/components/attempts/use-attempt-filters';
import { writeQuery } from '@/components/query/query-language';
import { Empty } from '@/components/states/empty';
import { presetWords } from '@/components/time-range/time-range';
import { useTimeRange } from '@/components/time-range/use-time-range';
import { Button } from '@/components/ui/button';

/** A list without rows says why, and how to get some. */
export function NoAttempts() {
  const [range, setRange] = useTimeRange();
  const [filters, setFilters] = useAttemptFilters();
  const isFiltered = hasFilters(filters);
  const when = range.kind === 'relative' ? `in the ${presetWords(range.preset).toLowerCase()}` : 'in this range';
  return (
    <Empty
      title={
        isFiltered ? `No attempt matches ${writeQuery(queryOfFilters(filters), ATTEMPT_LANGUAGE)} ${when}` : `No resume attempt ${when}`
      }
      acts={
        <>
          {isFiltered && <Button onClick={() => setFilters(NO_FILTERS)}>Clear the filter</Button>}
          <Button onClick={() => setRange({ kind: 'relative', preset: '30d' })}>Look at 30 days</Button>
        </>
      }
    >
      {isFiltered
        ? 'Clear the filter or widen the range.'
        : 'A server that sends no telemetry is not seen: this is unknown, not zero. Widen the range.'}
    </Empty>
  );
}
