'use client';

import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { getJson } from '@/components/api/get-json';
import type { MeBody } from '@/lib/wire/access-responses';

/** Roles change seldom, and what a page lets press is refused by the server all the same. */
const STALE_MS = 60_000;

/** Who uses this page, and what they may do. */
export function useMe(): UseQueryResult<MeBody> {
  return useQuery({ queryKey: ['me'], queryFn: ({ signal }) => getJson<MeBody>('/api/v1/me', {}, signal), staleTime: STALE_MS });
}

/** Whether the reader may change the installation and its members; false until that is known. */
export function useIsAdmin(): boolean {
  return useMe().data?.scopes.includes('admin') === true;
}
