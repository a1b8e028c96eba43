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

/** Whether the reader may do what a scope stands for; false until that is known. */
export function useMay(scope: 'operate' | 'admin'): boolean {
  const scopes = useMe().data?.scopes ?? [];
  return scopes.includes('admin') || (scope === 'operate' && scopes.includes('operate'));
}
