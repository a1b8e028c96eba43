'use client';

import type { UseQueryResult } from '@tanstack/react-query';
import { ends, useRead } from '@/components/api/use-reads';
import type { Annotation } from '@/components/overview/annotation-words';
import { useCompared } from '@/components/overview/use-compared';
import { rangeText, spanOf, stepOf, type TimeRange } from '@/components/time-range/time-range';
import { periodBefore } from '@/lib/rollup/period-parts';
import type { Annotations } from '@/lib/wire/annotation-responses';
import type { Series } from '@/lib/wire/responses';

/** Annotations are counted by minutes. */
const LEAST_STEP_S = 60;

export interface AttemptsChartReads {
  readonly series: UseQueryResult<Series>;
  /** Undefined unless it is asked for. */
  readonly before: Series | undefined;
  readonly annotations: readonly Annotation[];
}

const NONE: readonly Annotation[] = [];

/** What the chart of attempts is drawn from, of one server or of all. Only the series itself is waited for. */
export function useAttemptsChart(range: TimeRange, server: string | null): AttemptsChartReads {
  const [isCompared] = useCompared();
  const key = [rangeText(range), server];
  const stepAt = (nowMs: number) => stepOf(spanOf(range, nowMs));
  const series = useRead<Series>('/api/v1/series', (nowMs) => ({ ...ends(range, nowMs), server, by: 'mark', step: stepAt(nowMs) }), key);
  const before = useRead<Series>('/api/v1/series', (nowMs) => earlierOf(range, server, nowMs), [...key, 'before'], isCompared);
  const annotations = useRead<Annotations>(
    '/api/v1/annotations',
    (nowMs) => ({ ...ends(range, nowMs), server, step: Math.max(LEAST_STEP_S, stepAt(nowMs)) }),
    key,
  );
  return { series, before: isCompared ? before.data : undefined, annotations: annotations.data?.items ?? NONE };
}

/** The period before a range, in steps of the range's own. */
function earlierOf(range: TimeRange, server: string | null, nowMs: number) {
  const span = spanOf(range, nowMs);
  const { fromMs, toMs } = periodBefore(span);
  return { from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString(), server, by: 'mark', step: stepOf(span) };
}
