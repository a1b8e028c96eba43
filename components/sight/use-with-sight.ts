'use client';

import { useSearchParams } from 'next/navigation';
import { useCallback } from 'react';
import { withSight } from '@/components/sight/sight';

/** Makes an address go on looking at the time, the project and the zone that this page looks at. */
export function useWithSight(): (href: string) => string {
  const params = useSearchParams();
  return useCallback((href) => withSight(href, new URLSearchParams(params)), [params]);
}
