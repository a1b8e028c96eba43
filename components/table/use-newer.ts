'use client';

import { useQueryClient } from '@tanstack/react-query';
import { type RefObject, useCallback, useEffect, useEffectEvent, useState } from 'react';
import { useLive } from '@/components/live/live-provider';

/** At most this far from the top, a list counts as showing its beginning. Pixels. */
const AT_TOP_PX = 40;

export interface Newer {
  /** Attempts heard of since the list was read; 0 while it shows its beginning. */
  readonly count: number;
  readonly show: () => void;
}

/**
 * What came since a list was read. At its beginning it is taken in at once; further down rows must not move under
 * the reader, so it waits above until it is asked for. `key` is the first member of the list's query key.
 */
export function useNewer(key: string, scroll: RefObject<HTMLDivElement | null>): Newer {
  const client = useQueryClient();
  const { attemptsHeard, refreshes } = useLive();
  const [taken, setTaken] = useState(0);
  const take = useCallback(() => {
    setTaken(attemptsHeard);
    // Only the first page: those after it would be read again one by one.
    client.setQueriesData<{ pages: unknown[]; pageParams: unknown[] }>({ queryKey: [key] }, (data) =>
      data === undefined ? data : { pages: data.pages.slice(0, 1), pageParams: data.pageParams.slice(0, 1) },
    );
    void client.invalidateQueries({ queryKey: [key] });
  }, [client, key, attemptsHeard]);
  const onRefresh = useEffectEvent(() => {
    if ((scroll.current?.scrollTop ?? 0) <= AT_TOP_PX) take();
  });
  useEffect(() => {
    if (refreshes > 0) onRefresh();
  }, [refreshes]);
  const show = useCallback(() => {
    scroll.current?.scrollTo({ top: 0 });
    take();
  }, [scroll, take]);
  return { count: Math.max(0, attemptsHeard - taken), show };
}
