'use client';

import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { NuqsAdapter } from 'nuqs/adapters/next/app';
import { type ReactNode, useState } from 'react';
import { isWorthRetrying } from '@/components/api/api-failure';
import { LiveProvider } from '@/components/live/live-provider';
import { Layers } from '@/components/shell/layers';
import { ToastProvider } from '@/components/toast/toasts';

/** State that every page shares: the query cache, the URL as state, and the live connection. */
export function Providers({ children }: { readonly children: ReactNode }) {
  const [client] = useState(newQueryClient);
  return (
    <QueryClientProvider client={client}>
      <NuqsAdapter>
        <LiveProvider>
          <ToastProvider>
            <Layers>{children}</Layers>
          </ToastProvider>
        </LiveProvider>
      </NuqsAdapter>
    </QueryClientProvider>
  );
}

function newQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 2_000,
        gcTime: 5 * 60_000,
        refetchOnWindowFocus: true,
        retry: (failures, cause) => failures < 2 && isWorthRetrying(cause),
      },
    },
  });
}
