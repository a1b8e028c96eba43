'use client';

import { parseAsStringLiteral, useQueryState } from 'nuqs';
import { Fragment, type ReactNode, useCallback, useSyncExternalStore } from 'react';
import { showIn, type Zone } from '@/components/format/zone';
import { useStored } from '@/components/ui/use-stored';

const KEY = 'tidemark-zone';
const readZone = (text: string): Zone | null => (text === 'local' || text === 'utc' ? text : null);

const linkedZone = parseAsStringLiteral(['utc', 'local'] as const).withOptions({ history: 'replace' });
const never = () => () => {};

/** The zone that times are shown in, as the URL says, else as this browser remembers, and the way to change it. */
export function useZone(): readonly [Zone, (zone: Zone) => void] {
  const [linked, setLinked] = useQueryState('zone', linkedZone);
  const [kept, keep] = useStored(KEY, readZone);
  // The server knows no place: what it rendered is taken over before the page is drawn for this one.
  const isHere = useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
  const isLinked = linked !== null;
  const set = useCallback(
    (zone: Zone) => {
      keep(zone);
      if (isLinked) void setLinked(zone);
    },
    [keep, isLinked, setLinked],
  );
  return [isHere ? (linked ?? kept ?? 'utc') : 'utc', set];
}

/** Draws the page anew when the zone changes, every time in it included. */
export function ZoneBoundary({ children }: { readonly children: ReactNode }) {
  const [zone] = useZone();
  showIn(zone);
  return <Fragment key={zone}>{children}</Fragment>;
}
