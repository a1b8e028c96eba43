'use client';

import { type UseMutationResult, useMutation } from '@tanstack/react-query';
import { postJson } from '@/components/api/get-json';
import { useToast } from '@/components/toast/toasts';

/** Signs out here or everywhere, and leads to the sign-in by a whole load: nothing that was fetched stays. */
export function useSignOut(): UseMutationResult<unknown, Error, { everywhere: boolean }> {
  const show = useToast();
  return useMutation({
    mutationFn: (body) => postJson('/api/v1/sign-out', body),
    onSuccess: () => location.assign('/sign-in'),
    onError: (cause) => show({ key: 'sign-out', words: `You are still signed in: ${cause.message}`, tone: 'failure' }),
  });
}
