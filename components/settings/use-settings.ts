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
import { getJson } from '@/components/api/get-json';
import { SETTINGS_KEY } from '@/components/api/use-projects';
import type { InvitationList, MemberList } from '@/lib/wire/access-responses';
import type { ChangePage } from '@/lib/wire/change-responses';
import type { AccessKeyList } from '@/lib/wire/key-responses';
import type { ProjectServers } from '@/lib/wire/project-responses';
import type { RetentionPlanBody, RetentionSettings } from '@/lib/wire/retention-responses';

const CHANGES_PAGE = 50;

function useSettingsRead<T>(path: string, params: Readonly<Record<string, string | number>> = {}, enabled = true): UseQueryResult<T> {
  return useQuery({
    queryKey: [SETTINGS_KEY, path, params],
    queryFn: ({ signal }) => getJson<T>(`/api/v1/${path}`, params, signal),
    placeholderData: keepPreviousData,
    enabled,
  });
}

export const useKeys = (): UseQueryResult<AccessKeyList> => useSettingsRead('keys');
export const useMembers = (): UseQueryResult<MemberList> => useSettingsRead('members');
export const useInvitations = (): UseQueryResult<InvitationList> => useSettingsRead('invitations');
/** Servers of a project; not asked for while `id` is null. */
export const useProjectServers = (id: number | null): UseQueryResult<ProjectServers> =>
  useSettingsRead(`projects/${id}/servers`, {}, id !== null);
export const useRetention = (): UseQueryResult<RetentionSettings> => useSettingsRead('settings/retention');

/** What a retention would remove now; not asked for while `days` is null. */
export function useRetentionPlan(days: { records: number; rollups: number } | null): UseQueryResult<RetentionPlanBody> {
  const params = { records_days: days?.records ?? 1, rollups_days: days?.rollups ?? 1 };
  return useSettingsRead('settings/retention/plan', params, days !== null);
}

/** The change log, newest first, page by page; `about` is the first word of actions, such as `member`. */
export function useChanges(about: string | null): UseInfiniteQueryResult<InfiniteData<ChangePage>> {
  return useInfiniteQuery({
    queryKey: [SETTINGS_KEY, 'changes', about],
    queryFn: ({ pageParam, signal }) =>
      getJson<ChangePage>('/api/v1/changes', { action: about, limit: CHANGES_PAGE, cursor: pageParam }, signal),
    initialPageParam: '',
    getNextPageParam: (last: ChangePage) => last.next,
    placeholderData: keepPreviousData,
  });
}

/** A change of the settings; everything shown of them is read again afterwards, whether or not it worked. */
export function useSettingsChange<Input, Answer>(change: (input: Input) => Promise<Answer>): UseMutationResult<Answer, Error, Input> {
  const client = useQueryClient();
  return useMutation({ mutationFn: change, onSettled: () => client.invalidateQueries({ queryKey: [SETTINGS_KEY] }) });
}
