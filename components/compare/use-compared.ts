'use client';

import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { readIncidentRecords } from '@/components/api/use-incidents';
import { readSessionRecords } from '@/components/api/use-session';
import type { TelemetryRecord } from '@/lib/wire/schema';

const SESSION_REF = /^[0-9a-f]{32}$/;

/** The records of one side: a session by its reference, or an incident by its id. */
export function useCompared(name: string): UseQueryResult<readonly TelemetryRecord[]> {
  return useQuery({
    queryKey: ['compared', name],
    queryFn: ({ signal }) => (SESSION_REF.test(name) ? readSessionRecords(name, signal) : readIncidentRecords(name, signal)),
    enabled: name !== '',
    staleTime: Number.POSITIVE_INFINITY,
  });
}
