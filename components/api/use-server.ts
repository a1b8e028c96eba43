'use client';

import type { UseQueryResult } from '@tanstack/react-query';
import { ends, useRead } from '@/components/api/use-reads';
import { rangeText, type TimeRange } from '@/components/time-range/time-range';
import type { ServerDetail } from '@/lib/wire/responses';

/** What is known of one server in a range. */
export function useServer(name: string, range: TimeRange): UseQueryResult<ServerDetail> {
  return useRead<ServerDetail>(`/api/v1/servers/${encodeURIComponent(name)}`, (nowMs) => ends(range, nowMs), [rangeText(range)]);
}
