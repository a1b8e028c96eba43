'use client';

import { keepPreviousData, type UseQueryResult, useQuery } from '@tanstack/react-query';
import type { AttemptList } from '@/components/api/attempt';
import { getJson, type Params } from '@/components/api/get-json';
import { LIVE_KEY } from '@/components/live/live-provider';
import { useLateReads } from '@/components/live/use-late-reads';
import { useProject } from '@/components/projects/use-project';
import { rangeText, spanOf, type TimeRange } from '@/components/time-range/time-range';
import type { ServerList, Summary } from '@/lib/wire/responses';

/** One read of the API, about the page's project, that stays fresh while live; the last good answer stays while the next one is fetched. */
export function useRead<T>(
  path: string,
  params: (nowMs: number) => Params,
  key: readonly unknown[],
  isEnabled = true,
  againMs: number | false = false,
): UseQueryResult<T> {
  const [project] = useProject();
  return useQuery({
    queryKey: [LIVE_KEY, path, project, ...key],
    queryFn: ({ signal }) => getJson<T>(path, { project, ...params(Date.now()) }, signal),
    placeholderData: keepPreviousData,
    enabled: isEnabled,
    refetchInterval: againMs,
  });
}

/** The totals of a range and of the equal period before it. */
export function useSummary(range: TimeRange): UseQueryResult<Summary> {
  return useRead<Summary>('/api/v1/summary', (nowMs) => ends(range, nowMs), [rangeText(range)], true, useLateReads());
}

export function useServers(range: TimeRange): UseQueryResult<ServerList> {
  return useRead<ServerList>('/api/v1/servers', (nowMs) => ends(range, nowMs), [rangeText(range)], true, useLateReads());
}

/** The newest attempts of a range that match `filters`, at most `limit`. */
export function useNewestAttempts(range: TimeRange, filters: Params, limit: number): UseQueryResult<AttemptList> {
  return useRead<AttemptList>('/api/v1/attempts', (nowMs) => ({ ...ends(range, nowMs), ...filters, limit }), [
    rangeText(range),
    filters,
    limit,
  ]);
}

/**
 * `from` and `to` of a range as the API takes them. A range up to now has no `to`: what was stored a moment ago
 * must be seen, whatever the browser's clock says.
 */
export function ends(range: TimeRange, nowMs: number): Params {
  const { fromMs, toMs } = spanOf(range, nowMs);
  return { from: new Date(fromMs).toISOString(), to: range.kind === 'relative' ? null : new Date(toMs).toISOString() };
}
