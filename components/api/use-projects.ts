'use client';

import { keepPreviousData, type UseQueryResult, useQuery } from '@tanstack/react-query';
import { getJson } from '@/components/api/get-json';
import type { ProjectList } from '@/lib/wire/project-responses';

/** Projects change seldom, and by the settings, which have everything of theirs read again. */
const STALE_MS = 60_000;
export const SETTINGS_KEY = 'settings';

export function useProjects(): UseQueryResult<ProjectList> {
  return useQuery({
    queryKey: [SETTINGS_KEY, 'projects'],
    queryFn: ({ signal }) => getJson<ProjectList>('/api/v1/projects', {}, signal),
    placeholderData: keepPreviousData,
    staleTime: STALE_MS,
  });
}
