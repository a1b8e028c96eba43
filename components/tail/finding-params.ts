import type { Params } from '@/components/api/get-json';
import { type AttemptFilters, hasFilters } from '@/components/attempts/use-attempt-filters';

/** What a filter of attempts says of findings; null where it asks for what no finding has, so that none can match. */
export function findingParams(filters: AttemptFilters): Params | null {
  const { server, server_not, session } = filters;
  if (hasFilters({ ...filters, server: null, server_not: null, session: null })) return null;
  return { server: server?.join(','), server_not: server_not?.join(','), session };
}
