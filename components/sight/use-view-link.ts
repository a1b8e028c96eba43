'use client';

import { usePathname } from 'next/navigation';
import { useCallback } from 'react';
import { useZone } from '@/components/format/zone-boundary';
import { looksAtTime } from '@/components/shell/places';
import { viewLink } from '@/components/sight/view-link';
import { keptColumns } from '@/components/table/use-column-choice';
import { useTimeRange } from '@/components/time-range/use-time-range';

/** The link to exactly what this page shows at the moment of the call. */
export function useViewLink(): () => string {
  const pathname = usePathname();
  const [range] = useTimeRange();
  const [zone] = useZone();
  return useCallback(
    () =>
      viewLink(location.href, { range: looksAtTime(pathname) ? range : null, zone, columns: keptColumns(pathname.slice(1)) }, Date.now()),
    [pathname, range, zone],
  );
}
