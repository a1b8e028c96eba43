'use client';

import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import { getJson } from '@/components/api/get-json';
import { postProgress } from '@/components/api/post-progress';
import { LIVE_KEY } from '@/components/live/live-provider';
import type { ReplayedResume, ReplayPlan, ReplayProgress, ReplayResult } from '@/lib/incidents/replay-schema';

const pathOf = (id: string): string => `/api/v1/incidents/${encodeURIComponent(id)}/replays`;

export function useReplayPlan(id: string, isWanted: boolean): UseQueryResult<ReplayPlan> {
  return useQuery({
    queryKey: ['replay-plan', id],
    queryFn: ({ signal }) => getJson<ReplayPlan>(pathOf(id), {}, signal),
    enabled: isWanted,
  });
}

/** What a replay is started with; the authorization is sent once and kept nowhere. */
export interface ReplayWish {
  readonly target: string;
  readonly speed: number;
  readonly rate: number;
  readonly authorization: string;
}

export type ReplayState =
  | { readonly kind: 'idle' }
  | { readonly kind: 'running'; readonly done: number; readonly steps: number; readonly items: readonly ReplayedResume[] }
  | { readonly kind: 'done'; readonly result: ReplayResult }
  | { readonly kind: 'stopped'; readonly items: readonly ReplayedResume[] }
  | { readonly kind: 'failed'; readonly cause: Error };

/** One replay at a time, told as it goes; it ends with the page or when it is stopped. */
export function useReplay(id: string) {
  const client = useQueryClient();
  const [state, setState] = useState<ReplayState>({ kind: 'idle' });
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);
  const start = useCallback(
    async ({ authorization, ...wish }: ReplayWish) => {
      const control = new AbortController();
      running.current?.abort();
      running.current = control;
      const items: ReplayedResume[] = [];
      setState({ kind: 'running', done: 0, steps: 0, items });
      const onProgress = ({ done, steps, resume }: ReplayProgress) => {
        if (resume !== null) items.push(resume);
        setState({ kind: 'running', done, steps, items: [...items] });
      };
      const body = { ...wish, confirm: true, ...(authorization === '' ? {} : { authorization }) };
      try {
        const result = await postProgress<ReplayProgress, ReplayResult>(pathOf(id), body, onProgress, control.signal);
        setState({ kind: 'done', result });
      } catch (cause) {
        if (control.signal.aborted) setState({ kind: 'stopped', items });
        else setState({ kind: 'failed', cause: cause instanceof Error ? cause : new Error(String(cause)) });
      }
      void client.invalidateQueries({ queryKey: [LIVE_KEY, 'incidents', id, 'log'] });
    },
    [client, id],
  );
  const stop = useCallback(() => running.current?.abort(), []);
  return { state, start, stop };
}
