'use client';

import { FINDING_LANGUAGE, findingFilters, findingQuery, useFindingFilters } from '@/components/findings/use-finding-filters';
import { writeQuery } from '@/components/query/query-language';
import { Empty } from '@/components/states/empty';
import { presetWords } from '@/components/time-range/time-range';
import { useTimeRange } from '@/components/time-range/use-time-range';
import { Button } from '@/components/ui/button';

/** A list without findings says what that means, and how to see others. */
export function NoFindings() {
  const [range, setRange] = useTimeRange();
  const [filters, setFilters] = useFindingFilters();
  const words = writeQuery(findingQuery(filters), FINDING_LANGUAGE);
  const when = range.kind === 'relative' ? `in the ${presetWords(range.preset).toLowerCase()}` : 'in this range';
  return (
    <Empty
      title={words === '' ? `No finding ${when}` : `No finding matches ${words} ${when}`}
      acts={
        <>
          {words !== '' && (
            <Button onClick={() => setFilters(findingFilters({ values: new Map(), excluded: new Map(), counts: new Map(), text: null }))}>
              Clear the filter
            </Button>
          )}
          <Button onClick={() => setRange({ kind: 'relative', preset: '30d' })}>Look at 30 days</Button>
        </>
      }
    >
      {words === ''
        ? 'The records of this range prove no fault. What was not reported cannot be proved: unknown, not zero.'
        : 'Clear the filter or widen the range.'}
    </Empty>
  );
}
