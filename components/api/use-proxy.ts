'use client';

import { type UseMutationResult, type UseQueryResult, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Params } from '@/components/api/get-json';
import { changeJson, getJson } from '@/components/api/get-json';
import { ends, useRead } from '@/components/api/use-reads';
import { rangeText, spanOf, type TimeRange } from '@/components/time-range/time-range';
import type { ProxyRouteItem, ProxyRouteList, ProxySessionList } from '@/lib/wire/proxy-responses';
import type { Series, Summary } from '@/lib/wire/responses';

/** What the proxy counts lives in its process: nothing is stored when it changes, so it is asked for. */
const POLL_MS = 3_000;
const ROUTES = 'proxy-routes';
const path = (route: string) => `/api/v1/proxy/routes/${encodeURIComponent(route)}`;

export function useProxyRoutes(): UseQueryResult<ProxyRouteList> {
  return useQuery({
    queryKey: [ROUTES],
    queryFn: ({ signal }) => getJson<ProxyRouteList>('/api/v1/proxy/routes', {}, signal),
    refetchInterval: POLL_MS,
  });
}

export function useProxySessions(route: string): UseQueryResult<ProxySessionList> {
  return useQuery({
    queryKey: [ROUTES, route, 'sessions'],
    queryFn: ({ signal }) => getJson<ProxySessionList>(`${path(route)}/sessions`, {}, signal),
    refetchInterval: POLL_MS,
  });
}

/** Switches a route; the list is read again whether or not it worked. */
export function useModeSwitch(): UseMutationResult<
  ProxyRouteItem,
  Error,
  { route: string; mode: ProxyRouteItem['mode']; canaryPercent: number }
> {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ route, mode, canaryPercent }) =>
      changeJson<ProxyRouteItem>('PUT', `${path(route)}/mode`, { mode, canary_percent: canaryPercent }),
    onSettled: () => client.invalidateQueries({ queryKey: [ROUTES] }),
  });
}

export function useSessionEnd(route: string): UseMutationResult<unknown, Error, string> {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (ref) => changeJson('DELETE', `${path(route)}/sessions/${ref}`),
    onSettled: () => client.invalidateQueries({ queryKey: [ROUTES, route, 'sessions'] }),
  });
}

/** The totals of one server in a range. */
export function useServerSummary(range: TimeRange, server: string): UseQueryResult<Summary> {
  return useRead<Summary>('/api/v1/summary', (nowMs) => ({ ...ends(range, nowMs), server }), [rangeText(range), server]);
}

/** What the server resumed and the rules refuse, by reason, as one point. */
export function useUnsafeReasons(range: TimeRange, server: string): UseQueryResult<Series> {
  const params = (nowMs: number): Params => {
    const { fromMs, toMs } = spanOf(range, nowMs);
    const step = Math.max(60, Math.ceil((toMs - fromMs) / 60_000) * 60);
    return { ...ends(range, nowMs), step, by: 'reason', server, assessment: 'unsafe_resume' };
  };
  return useRead<Series>('/api/v1/series', params, [rangeText(range), 'unsafe reasons', server]);
}
