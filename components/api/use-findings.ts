'use client';

import { keepPreviousData, type UseQueryResult, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getJson, type Params } from '@/components/api/get-json';
import { ends, useRead } from '@/components/api/use-reads';
import { LIVE_KEY } from '@/components/live/live-provider';
import { useProject } from '@/components/projects/use-project';
import { rangeText, type TimeRange } from '@/components/time-range/time-range';
import type { FindingDetail, FindingFacets, FindingPage } from '@/lib/audit/answer-schema';

const PAGE = 200;

/** The findings of a range, newest first, page by page; what came since waits above, as with attempts. */
export function useFindingList(range: TimeRange, filters: Params) {
  const [project] = useProject();
  return useInfiniteQuery({
    queryKey: ['findings', rangeText(range), project, filters],
    queryFn: ({ pageParam, signal }) =>
      getJson<FindingPage>('/api/v1/findings', { ...ends(range, Date.now()), project, ...filters, limit: PAGE, cursor: pageParam }, signal),
    initialPageParam: '',
    getNextPageParam: (last: FindingPage) => last.next,
    placeholderData: keepPreviousData,
  });
}

/** How many findings of the range the filters let through, by everything that a list can be narrowed by. */
export function useFindingFacets(range: TimeRange, filters: Params): UseQueryResult<FindingFacets> {
  return useRead<FindingFacets>('/api/v1/findings/facets', (nowMs) => ({ ...ends(range, nowMs), ...filters }), [rangeText(range), filters]);
}

/** The newest findings of a range that match `filters`, at most `limit`; nothing is asked where none can match. */
export function useNewestFindings(range: TimeRange, filters: Params, limit: number, canMatch = true): UseQueryResult<FindingPage> {
  const key = [rangeText(range), filters, limit];
  return useRead<FindingPage>('/api/v1/findings', (nowMs) => ({ ...ends(range, nowMs), ...filters, limit }), key, canMatch);
}

/** One finding with its proof and the records it cites. */
export function useFinding(id: string): UseQueryResult<FindingDetail> {
  return useQuery({
    queryKey: [LIVE_KEY, 'finding', id],
    queryFn: ({ signal }) => getJson<FindingDetail>(`/api/v1/findings/${encodeURIComponent(id)}`, {}, signal),
    placeholderData: keepPreviousData,
  });
}
