'use client';

import { keepPreviousData, type UseQueryResult, useInfiniteQuery } from '@tanstack/react-query';
import { getJson, type Params } from '@/components/api/get-json';
import { ends, useRead } from '@/components/api/use-reads';
import { useProject } from '@/components/projects/use-project';
import { rangeText, type TimeRange } from '@/components/time-range/time-range';
import type { SessionFacets, SessionPage } from '@/lib/wire/responses';

const PAGE = 200;

/** The sessions heard of in a range, the last heard of first, page by page. */
export function useSessionList(range: TimeRange, filters: Params) {
  const [project] = useProject();
  return useInfiniteQuery({
    queryKey: ['sessions', rangeText(range), project, filters],
    queryFn: ({ pageParam, signal }) =>
      getJson<SessionPage>('/api/v1/sessions', { ...ends(range, Date.now()), project, ...filters, limit: PAGE, cursor: pageParam }, signal),
    initialPageParam: '',
    getNextPageParam: (last: SessionPage) => last.next,
    placeholderData: keepPreviousData,
  });
}

/** How many sessions the filters let through, and where. */
export function useSessionFacets(range: TimeRange, filters: Params): UseQueryResult<SessionFacets> {
  return useRead<SessionFacets>('/api/v1/sessions/facets', (nowMs) => ({ ...ends(range, nowMs), ...filters }), [rangeText(range), filters]);
}
