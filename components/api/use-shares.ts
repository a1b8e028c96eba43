'use client';

import { type UseMutationResult, type UseQueryResult, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { changeJson, getJson, postJson } from '@/components/api/get-json';
import { readRecordPages } from '@/components/api/use-incidents';
import type { SharedIncident } from '@/lib/incidents/answer-schema';
import type { LinkMade, ShareLinkList } from '@/lib/wire/access-responses';
import type { TelemetryRecord } from '@/lib/wire/schema';

const KEY = 'shares';
const pathOf = (incident: string): string => `/api/v1/incidents/${encodeURIComponent(incident)}/shares`;
const sharedPath = (token: string): string => `/api/v1/shared/${encodeURIComponent(token)}`;

/** Links that show an incident. */
export function useShares(incident: string): UseQueryResult<ShareLinkList> {
  return useQuery({ queryKey: [KEY, incident], queryFn: ({ signal }) => getJson<ShareLinkList>(pathOf(incident), {}, signal) });
}

/** Makes a link that holds for so many days. */
export function useShare(incident: string): UseMutationResult<LinkMade, Error, number> {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (days) => postJson<LinkMade>(pathOf(incident), { expires_in_s: days * 86_400 }),
    onSettled: () => client.invalidateQueries({ queryKey: [KEY, incident] }),
  });
}

/** Ends a link. */
export function useUnshare(incident: string): UseMutationResult<unknown, Error, string> {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id) => changeJson('DELETE', `${pathOf(incident)}/${id}`),
    onSettled: () => client.invalidateQueries({ queryKey: [KEY, incident] }),
  });
}

/** The incident that a link shows. */
export function useSharedIncident(token: string): UseQueryResult<SharedIncident> {
  return useQuery({ queryKey: ['shared', token], queryFn: ({ signal }) => getJson<SharedIncident>(sharedPath(token), {}, signal) });
}

/** The records of the incident that a link shows. */
export function useSharedRecords(token: string): UseQueryResult<readonly TelemetryRecord[]> {
  return useQuery({
    queryKey: ['shared', token, 'records'],
    queryFn: ({ signal }) => readRecordPages(`${sharedPath(token)}/records`, signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
}
