'use client';

import { type UseMutationResult, type UseQueryResult, useMutation, useQuery } from '@tanstack/react-query';
import { getJson, postJson } from '@/components/api/get-json';
import type { AccessBody, LinkBody } from '@/lib/wire/access-responses';

/** What the sign-in page needs to know before anybody signed in. */
export function useAccess(): UseQueryResult<AccessBody> {
  return useQuery({ queryKey: ['access'], queryFn: ({ signal }) => getJson<AccessBody>('/api/v1/access', {}, signal) });
}

export function useSignIn(): UseMutationResult<unknown, Error, { email: string; password: string }> {
  return useMutation({ mutationFn: (input) => postJson('/api/v1/sign-in', input) });
}

/** Asks for the address at the provider that one signs in at. */
export function useProviderSignIn(): UseMutationResult<{ url: string }, Error, string> {
  return useMutation({ mutationFn: (to) => postJson<{ url: string }>('/api/v1/sign-in/provider', { to }) });
}

/** What a one-time link is for; asked once the page knows its token, null while it does not. */
export function useLink(token: string | null): UseQueryResult<LinkBody> {
  return useQuery({
    queryKey: ['link', token],
    queryFn: () => postJson<LinkBody>('/api/v1/join/look', { token }),
    enabled: token !== null,
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

export interface JoinInput {
  readonly token: string;
  readonly name?: string;
  readonly email?: string;
  readonly password: string;
}

export function useJoin(): UseMutationResult<{ email: string }, Error, JoinInput> {
  return useMutation({ mutationFn: (input) => postJson<{ email: string }>('/api/v1/join', input) });
}
