'use client';

import { keepPreviousData, type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { getJson, postRead } from '@/components/api/get-json';
import { postProgress } from '@/components/api/post-progress';
import { ends } from '@/components/api/use-reads';
import { rangeText, type TimeRange } from '@/components/time-range/time-range';
import type { FloorRule } from '@/lib/resume/types';
import type { BacktestResult, RetentionResult, WhatIfResult } from '@/lib/whatif/answer-schema';
import type { Change } from '@/lib/whatif/change';

/** How far the work has come. */
interface Progress {
  readonly done: number;
  readonly changed: number;
}

/** The attempts of a server in a range, decided again under a change. A newer change calls the work off, and so does `callOff`. */
export function useServerWhatIf(server: string | null, range: TimeRange, change: Change) {
  const client = useQueryClient();
  const [progress, setProgress] = useState<Progress | null>(null);
  const queryKey = ['whatif', server, rangeText(range), change];
  const answer = useQuery({
    queryKey,
    queryFn: ({ signal }) => {
      setProgress(null);
      return postProgress<Progress, WhatIfResult>('/api/v1/whatif', { server, ...periodOf(range), change }, setProgress, signal);
    },
    enabled: server !== null && Object.keys(change).length > 0,
    placeholderData: keepPreviousData,
  });
  return { answer, progress: answer.isFetching ? progress : null, callOff: () => void client.cancelQueries({ queryKey }) };
}

/** What the clients of a server needed, and how many events serve them. */
export function useRetentionAdvice(server: string | null, range: TimeRange): UseQueryResult<RetentionResult> {
  return useQuery({
    queryKey: ['retention-advice', server, rangeText(range)],
    queryFn: ({ signal }) =>
      getJson<RetentionResult>(`/api/v1/servers/${encodeURIComponent(server ?? '')}/retention-advice`, ends(range, Date.now()), signal),
    enabled: server !== null,
  });
}

/** What enforcement would have done to what a server did. */
export function useBacktest(server: string | null, range: TimeRange, floor: FloorRule | null): UseQueryResult<BacktestResult> {
  return useQuery({
    queryKey: ['backtest', server, rangeText(range), floor],
    queryFn: ({ signal }) =>
      postRead<BacktestResult>('/api/v1/backtest', { server, ...periodOf(range), ...(floor === null ? {} : { floor }) }, signal),
    enabled: server !== null,
    placeholderData: keepPreviousData,
  });
}

/** A period for the body of a request: a range up to now ends a moment later, so that what was just stored is in it. */
function periodOf(range: TimeRange): { readonly from: string; readonly to: string } {
  const { from, to } = ends(range, Date.now());
  return { from: String(from), to: to === null || to === undefined ? new Date(Date.now() + 1_000).toISOString() : String(to) };
}
