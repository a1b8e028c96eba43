'use client';

import { usePathname } from 'next/navigation';
import type { ReactNode } from 'react';
import { ZoneBoundary } from '@/components/format/zone-boundary';
import { LiveProvider } from '@/components/live/live-provider';
import { AppShell } from '@/components/shell/app-shell';
import { isBarePage } from '@/components/shell/bare-pages';
import { Layers } from '@/components/shell/layers';

/** What stands around a page: everything, or nothing for people who did not sign in. */
export function ShellOfPage({ children }: { readonly children: ReactNode }) {
  if (isBarePage(usePathname())) return <ZoneBoundary>{children}</ZoneBoundary>;
  return (
    <LiveProvider>
      <Layers>
        <AppShell>{children}</AppShell>
      </Layers>
    </LiveProvider>
  );
}
