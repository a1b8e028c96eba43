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
import { getJson, getLines } from '@/components/api/get-json';
import { LIVE_KEY } from '@/components/live/live-provider';
import type { IncidentDetail, IncidentLog, IncidentPage } from '@/lib/incidents/answer-schema';
import type { TelemetryRecord } from '@/lib/wire/schema';

export interface IncidentFilters {
  readonly state: string | null;
  readonly severity: string | null;
  readonly server: string | null;
}

/** What the debugger reads of one incident; a longer one is shown from its beginning, and says so. */
export const INCIDENT_RECORDS_MAX = 200_000;
const RECORDS_PER_READ = 50_000;
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
  });
}

export function useIncident(id: string): UseQueryResult<IncidentDetail> {
  return useQuery({ queryKey: [LIVE_KEY, KEY, id], queryFn: ({ signal }) => getJson<IncidentDetail>(pathOf(id), {}, signal) });
}

export function useIncidentLog(id: string): UseQueryResult<IncidentLog> {
  return useQuery({ queryKey: [LIVE_KEY, KEY, id, 'log'], queryFn: ({ signal }) => getJson<IncidentLog>(`${pathOf(id)}/log`, {}, signal) });
}

/**
 * The pinned records of an incident, `count` of them: read again when there are more, and else left alone, since
 * what one looks at must not move.
 */
export function useIncidentRecords(id: string, count: number | null): UseQueryResult<readonly TelemetryRecord[]> {
  return useQuery({
    queryKey: ['incident-records', id, count],
    queryFn: ({ signal }) => readIncidentRecords(id, signal),
    enabled: count !== null,
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: keepPreviousData,
  });
}

/** A change to incidents; everything shown of them is read again afterwards. */
export function useIncidentChange<Input, Answer>(change: (input: Input) => Promise<Answer>): UseMutationResult<Answer, Error, Input> {
  const client = useQueryClient();
  return useMutation({ mutationFn: change, onSuccess: () => client.invalidateQueries({ queryKey: [LIVE_KEY, KEY] }) });
}

/** The pinned records of an incident, its pages joined. */
export async function readIncidentRecords(id: string, signal: AbortSignal): Promise<readonly TelemetryRecord[]> {
  const records: TelemetryRecord[] = [];
  let cursor: string | null = null;
  do {
    const page: { readonly items: TelemetryRecord[]; readonly next: string | null } = await getLines<TelemetryRecord>(
      `${pathOf(id)}/records`,
      { cursor, limit: RECORDS_PER_READ },
      signal,
    );
    for (const record of page.items) records.push(record);
    cursor = page.items.length === 0 ? null : page.next;
  } while (cursor !== null && records.length < INCIDENT_RECORDS_MAX);
  return records;
}
