'use client';

import { Fragment, type ReactNode } from 'react';
import { showIn, type Zone } from '@/components/format/zone';
import { useStored } from '@/components/ui/use-stored';

const KEY = 'tidemark-zone';
const readZone = (text: string): Zone | null => (text === 'local' || text === 'utc' ? text : null);

/** The zone that this browser shows times in, and the way to change it. */
export function useZone(): readonly [Zone, (zone: Zone) => void] {
  const [zone, set] = useStored(KEY, readZone);
  return [zone ?? 'utc', set];
}

/** Draws the page anew when the zone changes, every time in it included. */
export function ZoneBoundary({ children }: { readonly children: ReactNode }) {
  const [zone] = useZone();
  showIn(zone);
  return <Fragment key={zone}>{children}</Fragment>;
}
