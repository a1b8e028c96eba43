'use client';

import { keepPreviousData, type UseQueryResult, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { Attempt, AttemptList } from '@/components/api/attempt';
import { getJson, type Params } from '@/components/api/get-json';
import { ends } from '@/components/api/use-reads';
import { type AttemptFilters, filterParams } from '@/components/attempts/use-attempt-filters';
import { LIVE_KEY } from '@/components/live/live-provider';
import { useProject } from '@/components/projects/use-project';
import { rangeText, spanOf, type TimeRange } from '@/components/time-range/time-range';
import type { Series } from '@/lib/wire/responses';

/** The first page is there soon; those that follow are read while the first one is looked at. */
const FIRST_PAGE = 200;
const PAGE = 1_000;

/**
 * The attempts of a range, newest first, page by page. Not refreshed while live: rows must not move under the
 * reader; the list says how many came and takes them in when asked, or at once while it shows its beginning.
 */
export function useAttemptList(range: TimeRange, filters: AttemptFilters) {
  const [project] = useProject();
  return useInfiniteQuery({
    queryKey: ['attempts', rangeText(range), project, filterParams(filters)],
    queryFn: ({ pageParam, signal }) =>
      getJson<AttemptList>(
        '/api/v1/attempts',
        { ...ends(range, Date.now()), project, ...filterParams(filters), limit: pageParam === '' ? FIRST_PAGE : PAGE, cursor: pageParam },
        signal,
      ),
    initialPageParam: '',
    getNextPageParam: (last: AttemptList) => last.next,
    placeholderData: keepPreviousData,
  });
}

/** One attempt by its id. */
export function useAttempt(id: string): UseQueryResult<Attempt> {
  return useQuery({
    queryKey: ['attempt', id],
    queryFn: ({ signal }) => getJson<Attempt>(`/api/v1/attempts/${encodeURIComponent(id)}`, {}, signal),
  });
}

/** How many attempts of the range each value of a facet has, under the filters of the other facets. */
export function useFacetCounts(
  range: TimeRange,
  filters: AttemptFilters,
  by: 'mark' | 'reason' | 'server',
): UseQueryResult<ReadonlyMap<string, number>> {
  const [project] = useProject();
  const others = { project, ...filterParams(filters, by) };
  return useQuery({
    queryKey: [LIVE_KEY, 'facet', by, rangeText(range), others],
    queryFn: async ({ signal }) => totalsOf(await readWhole(range, { ...others, by }, signal)),
    placeholderData: keepPreviousData,
  });
}

/** How many attempts of the range are counted as `resume_unavailable` (`true`) and how many are not, under the other filters. */
export function useUnavailableCounts(range: TimeRange, filters: AttemptFilters): UseQueryResult<ReadonlyMap<string, number>> {
  const [project] = useProject();
  const others = { project, ...filterParams(filters, 'unavailable') };
  return useQuery({
    queryKey: [LIVE_KEY, 'facet', 'unavailable', rangeText(range), others],
    queryFn: async ({ signal }) => answersOf(await readWhole(range, { ...others, by: 'mark' }, signal)),
    placeholderData: keepPreviousData,
  });
}

/** The series of the range in one step or two. */
function readWhole(range: TimeRange, params: Params, signal: AbortSignal): Promise<Series> {
  const { fromMs, toMs } = spanOf(range, Date.now());
  const step = Math.ceil((toMs - fromMs) / 1_000);
  return getJson<Series>('/api/v1/series', { ...ends(range, Date.now()), ...params, step }, signal);
}

function answersOf(series: Series): ReadonlyMap<string, number> {
  const all = [...totalsOf(series).values()].reduce((sum, count) => sum + count, 0);
  const unavailable = series.points.reduce((sum, point) => sum + point.resume_unavailable, 0);
  return new Map([
    ['true', unavailable],
    ['false', all - unavailable],
  ]);
}

function totalsOf({ keys, points }: Series): ReadonlyMap<string, number> {
  return new Map(keys.map((key) => [key, points.reduce((sum, point) => sum + (point.counts[key] ?? 0), 0)]));
}
