'use client';

import {
  type InfiniteData,
  keepPreviousData,
  type UseInfiniteQueryResult,
  type UseMutationResult,
  type UseQueryResult,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { getJson, readAllLines } from '@/components/api/get-json';
import { LIVE_KEY } from '@/components/live/live-provider';
import { useLateReads } from '@/components/live/use-late-reads';
import type { IncidentDetail, IncidentLog, IncidentPage } from '@/lib/incidents/answer-schema';
import type { TelemetryRecord } from '@/lib/wire/schema';

export interface IncidentFilters {
  readonly project: string | null;
  readonly state: string | null;
  readonly severity: string | null;
  readonly server: string | null;
}

/** What the debugger reads of one incident; a longer one is shown from its beginning, and says so. */
export const INCIDENT_RECORDS_MAX = 200_000;
const RECORDS_PER_READ = 25_000;
const PAGE = 100;
const KEY = 'incidents';

const pathOf = (id: string): string => `/api/v1/incidents/${encodeURIComponent(id)}`;

/** Incidents, the last opened first, page by page. */
export function useIncidents(filters: IncidentFilters): UseInfiniteQueryResult<InfiniteData<IncidentPage>> {
  return useInfiniteQuery({
    queryKey: [LIVE_KEY, KEY, filters],
    queryFn: ({ pageParam, signal }) => getJson<IncidentPage>('/api/v1/incidents', { ...filters, limit: PAGE, cursor: pageParam }, signal),
    initialPageParam: '',
    getNextPageParam: (last: IncidentPage) => last.next,
    placeholderData: keepPreviousData,
    refetchInterval: useLateReads(),
  });
}

/** How many incidents are open, of a project or of all; undefined while it is not known. */
export function useOpenIncidents(project: string | null): number | undefined {
  const { data } = useQuery({
    queryKey: [LIVE_KEY, KEY, 'open', project],
    queryFn: ({ signal }) => getJson<IncidentPage>('/api/v1/incidents', { project, state: 'open', limit: 1 }, signal),
    placeholderData: keepPreviousData,
    refetchInterval: useLateReads(),
  });
  return data?.counts.open;
}

export function useIncident(id: string): UseQueryResult<IncidentDetail> {
  return useQuery({
    queryKey: [LIVE_KEY, KEY, id],
    queryFn: ({ signal }) => getJson<IncidentDetail>(pathOf(id), {}, signal),
    refetchInterval: useLateReads(),
  });
}

export function useIncidentLog(id: string): UseQueryResult<IncidentLog> {
  return useQuery({ queryKey: [LIVE_KEY, KEY, id, 'log'], queryFn: ({ signal }) => getJson<IncidentLog>(`${pathOf(id)}/log`, {}, signal) });
}

/**
 * The pinned records of an incident, asked for at once and again when `count` says that there are more: what one
 * looks at must not move for anything less.
 */
export function useIncidentRecords(id: string, count: number | null): UseQueryResult<readonly TelemetryRecord[]> {
  const query = useQuery({
    queryKey: ['incident-records', id],
    queryFn: ({ signal }) => readIncidentRecords(id, signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const { data, refetch } = query;
  const isBehind = data !== undefined && count !== null && data.length < Math.min(count, INCIDENT_RECORDS_MAX);
  const triedFor = useRef<number | null>(null);
  useEffect(() => {
    if (!isBehind || triedFor.current === count) return;
    triedFor.current = count;
    void refetch();
  }, [isBehind, count, refetch]);
  return query;
}

/** A change to incidents; `onDone` is told of it in any case, and everything shown of them is read again afterwards. */
export function useIncidentChange<Input, Answer>(
  change: (input: Input) => Promise<Answer>,
  onDone: (answer: Answer) => void = () => undefined,
): UseMutationResult<Answer, Error, Input> {
  const client = useQueryClient();
  return useMutation({
    mutationFn: change,
    // Before anything is read again: what comes back may take the form away that asked for the change.
    onSuccess: (answer) => {
      onDone(answer);
      return client.invalidateQueries({ queryKey: [LIVE_KEY, KEY] });
    },
  });
}

/** The pinned records of an incident. */
export const readIncidentRecords = (id: string, signal: AbortSignal): Promise<readonly TelemetryRecord[]> =>
  readRecordPages(`${pathOf(id)}/records`, signal);

/** Records that come in pages, joined. */
export function readRecordPages(path: string, signal: AbortSignal): Promise<readonly TelemetryRecord[]> {
  return readAllLines<TelemetryRecord>(path, { perRead: RECORDS_PER_READ, most: INCIDENT_RECORDS_MAX }, signal);
}
