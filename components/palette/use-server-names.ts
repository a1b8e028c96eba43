'use client';

import { useQuery } from '@tanstack/react-query';
import { getJson } from '@/components/api/get-json';
import { useProject } from '@/components/projects/use-project';
import type { ServerList } from '@/lib/wire/responses';

const DAYS_MS = 30 * 86_400_000;
const FRESH_MS = 60_000;

/** Names of the servers of the page's project that were heard of in the last 30 days; none while that is being read or cannot be. */
export function useServerNames(): readonly string[] {
  const [project] = useProject();
  const servers = useQuery({
    queryKey: ['server-names', project],
    queryFn: ({ signal }) => getJson<ServerList>('/api/v1/servers', { project, from: Date.now() - DAYS_MS }, signal),
    staleTime: FRESH_MS,
  });
  return servers.data?.items.map(({ server }) => server) ?? [];
}
