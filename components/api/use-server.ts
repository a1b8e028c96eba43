'use client';

import type { UseQueryResult } from '@tanstack/react-query';
import { ends, useRead } from '@/components/api/use-reads';
import { rangeText, spanOf, stepOf, type TimeRange } from '@/components/time-range/time-range';
import type { Series, ServerDetail } from '@/lib/wire/responses';

/** What is known of one server in a range. */
export function useServer(name: string, range: TimeRange): UseQueryResult<ServerDetail> {
  return useRead<ServerDetail>(`/api/v1/servers/${encodeURIComponent(name)}`, (nowMs) => ends(range, nowMs), [rangeText(range)]);
}

/** Attempts of one server over time by mark. */
export function useServerSeries(name: string, range: TimeRange): UseQueryResult<Series> {
  const params = (nowMs: number) => ({ ...ends(range, nowMs), server: name, by: 'mark', step: stepOf(spanOf(range, nowMs)) });
  return useRead<Series>('/api/v1/series', params, [rangeText(range), 'server', name]);
}
