'use client';

import type { UseQueryResult } from '@tanstack/react-query';
import { ends, useRead } from '@/components/api/use-reads';
import { useCompared } from '@/components/overview/use-compared';
import { useProject } from '@/components/projects/use-project';
import { rangeText, type Span, spanOf, stepOf, type TimeRange } from '@/components/time-range/time-range';
import { periodBefore } from '@/lib/rollup/period-parts';
import type { Annotations } from '@/lib/wire/annotation-responses';
import type { Series } from '@/lib/wire/responses';

/** Annotations are counted by minutes. */
const LEAST_STEP_S = 60;
/** Rollups tell servers apart by the hour: of a project's, longer ranges are drawn in hours, so that no row is read. */
const HOUR_S = 3_600;
const HOURLY_FROM_MS = 6 * 3_600_000;

export interface AttemptsChartReads {
  readonly series: UseQueryResult<Series>;
  /** Null unless it is asked for. */
  readonly before: UseQueryResult<Series> | null;
  readonly annotations: UseQueryResult<Annotations>;
}

/** What the chart of attempts is drawn from, of one server or of all. Only the series itself is waited for. */
export function useAttemptsChart(range: TimeRange, server: string | null): AttemptsChartReads {
  const [isCompared] = useCompared();
  const [project] = useProject();
  const key = [rangeText(range), server];
  const stepFor = (span: Span) => {
    const step = stepOf(span);
    return project !== null && span.toMs - span.fromMs >= HOURLY_FROM_MS ? Math.max(HOUR_S, step) : step;
  };
  const stepAt = (nowMs: number) => stepFor(spanOf(range, nowMs));
  const series = useRead<Series>('/api/v1/series', (nowMs) => ({ ...ends(range, nowMs), server, by: 'mark', step: stepAt(nowMs) }), key);
  const before = useRead<Series>(
    '/api/v1/series',
    (nowMs) => earlierOf(spanOf(range, nowMs), server, stepAt(nowMs)),
    [...key, 'before'],
    isCompared,
  );
  const annotations = useRead<Annotations>(
    '/api/v1/annotations',
    (nowMs) => ({ ...ends(range, nowMs), server, step: Math.max(LEAST_STEP_S, stepAt(nowMs)) }),
    key,
  );
  return { series, before: isCompared ? before : null, annotations };
}

/** The period before one, in its own steps. */
function earlierOf(span: Span, server: string | null, step: number) {
  const { fromMs, toMs } = periodBefore(span);
  return { from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString(), server, by: 'mark', step };
}
