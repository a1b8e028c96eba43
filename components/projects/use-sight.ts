'use client';

import { useProject } from '@/components/projects/use-project';
import { rangeText } from '@/components/time-range/time-range';
import { useTimeRange } from '@/components/time-range/use-time-range';

/** What the page looks at, time and project, as the beginning of a query that leads to a page that looks at the same. */
export function useSight(): string {
  const [range] = useTimeRange();
  const [project] = useProject();
  return `range=${rangeText(range)}${project === null ? '' : `&project=${encodeURIComponent(project)}`}`;
}
