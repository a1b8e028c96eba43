'use client';

import { useMemo } from 'react';
import type { Attempt } from '@/components/api/attempt';
import { useTimeline } from '@/components/api/use-session';
import type { PlotData } from '@/components/plot/plot-data';
import { plotOfTimeline } from '@/components/plot/plot-of-timeline';
import { isOfStream } from '@/components/session/stream-of';

/** The attempt in the picture of its session. There is none where the request carried no session or it cannot be read; null data while it is read. */
export function useAttemptPlot(attempt: Attempt): { readonly data: PlotData | null } | null {
  const timeline = useTimeline(attempt.session);
  const stream = attempt.stream ?? 'get';
  const data = useMemo(() => {
    const steps = timeline.data?.filter((step) => isOfStream(step.record, stream));
    return steps === undefined ? null : plotOfTimeline(steps, new Map([[attempt.id, attempt]]));
  }, [timeline.data, stream, attempt]);
  return attempt.session === null || timeline.isError ? null : { data };
}
