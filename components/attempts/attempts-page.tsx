'use client';

import { useMemo } from 'react';
import type { Attempt } from '@/components/api/attempt';
import { useAttemptList, useFacetCounts } from '@/components/api/use-attempts';
import { ATTEMPT_COLUMNS } from '@/components/attempts/attempt-columns';
import { ATTEMPT_EXPORT } from '@/components/attempts/attempt-export';
import { ATTEMPT_LANGUAGE, filtersOfQuery, queryOfFilters } from '@/components/attempts/attempt-query';
import { Facets } from '@/components/attempts/facets';
import { NoAttempts } from '@/components/attempts/no-attempts';
import { Peek } from '@/components/attempts/peek';
import { filterParams, useAttemptFilters } from '@/components/attempts/use-attempt-filters';
import { ListPage } from '@/components/table/list-page';
import type { View } from '@/components/table/saved-views';
import { useTimeRange } from '@/components/time-range/use-time-range';

const VIEWS: readonly View[] = [
  { name: 'All attempts', search: '' },
  { name: 'Went wrong', search: 'mark=unsafe_resume%2Cbad_replay%2Cover_refusal' },
  { name: 'Unsafe', search: 'mark=unsafe_resume' },
  { name: 'Refused below the floor', search: 'mark=refused&reason=below_floor' },
  { name: 'Resume unavailable', search: 'unavailable=true' },
  { name: 'Over-refusals', search: 'mark=over_refusal' },
  { name: 'Unverifiable', search: 'mark=unverifiable' },
];

const idOf = (attempt: Attempt) => attempt.id;
const hrefOf = (id: string) => `/attempts/${id}`;

/** Every resume attempt: what it was, under filters that live in the URL, one of them beside the list. */
export function AttemptsPage() {
  const [range] = useTimeRange();
  const [filters, setFilters] = useAttemptFilters();
  const list = useAttemptList(range, filters);
  const marks = useFacetCounts(range, filters, 'mark');
  const total = useMemo(() => totalOf(marks.data, filters.mark), [marks.data, filters.mark]);
  return (
    <ListPage
      title="Attempts"
      noun="attempt"
      list={list}
      columns={ATTEMPT_COLUMNS}
      idOf={idOf}
      hrefOf={hrefOf}
      total={total}
      views={VIEWS}
      asked={{
        language: ATTEMPT_LANGUAGE,
        query: queryOfFilters(filters),
        onQuery: (query) => setFilters(filtersOfQuery(query)),
        placeholder: 'server:payments-mcp -reason:hole gap>10, or text in a record',
      }}
      taken={{ path: '/api/v1/attempts', params: filterParams(filters), columns: ATTEMPT_EXPORT }}
      facets={<Facets />}
      empty={<NoAttempts />}
      peek={(id, onClose) => <Peek id={id} onClose={onClose} />}
    />
  );
}

function totalOf(marks: ReadonlyMap<string, number> | undefined, chosen: readonly string[] | null): number | null {
  if (marks === undefined) return null;
  let total = 0;
  for (const [mark, count] of marks) if (chosen === null || chosen.includes(mark)) total += count;
  return total;
}
