'use client';

import {
  keepPreviousData,
  type UseMutationResult,
  type UseQueryResult,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { getJson, type Params } from '@/components/api/get-json';
import type {
  AlertEventList,
  AlertList,
  ChannelList,
  DeliveryDetail,
  DeliveryPage,
  RuleList,
  SilenceList,
} from '@/lib/alerting/answer-schema';

/** Alerts change with time, not only with what is stored, so they are asked for at intervals. */
const REFRESH_MS = 5_000;
const KEY = 'alerting';

function useAlertingRead<T>(path: string, params: Params = {}): UseQueryResult<T> {
  return useQuery({
    queryKey: [KEY, path, params],
    queryFn: ({ signal }) => getJson<T>(`/api/v1/alerts${path}`, params, signal),
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  });
}

export const useAlerts = (): UseQueryResult<AlertList> => useAlertingRead('');
export const useRules = (): UseQueryResult<RuleList> => useAlertingRead('/rules');
export const useChannels = (): UseQueryResult<ChannelList> => useAlertingRead('/channels');
export const useSilences = (): UseQueryResult<SilenceList> => useAlertingRead('/silences');
export const useDelivery = (id: string): UseQueryResult<DeliveryDetail> => useAlertingRead(`/deliveries/${encodeURIComponent(id)}`);
export const useDeliveries = (params: Params): UseQueryResult<DeliveryPage> => useAlertingRead('/deliveries', params);
export const useAlertEvents = (rule: string | null, limit: number): UseQueryResult<AlertEventList> =>
  useAlertingRead('/events', { rule, limit });

/** A change to alerting; everything shown of it is read again afterwards. */
export function useAlertingChange<Input, Answer>(change: (input: Input) => Promise<Answer>): UseMutationResult<Answer, Error, Input> {
  const client = useQueryClient();
  return useMutation({ mutationFn: change, onSuccess: () => client.invalidateQueries({ queryKey: [KEY] }) });
}
