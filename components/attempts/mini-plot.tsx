'use client';

import { useMemo } from 'react';
import type { Attempt } from '@/components/api/attempt';
import { useTimeline } from '@/components/api/use-session';
import { sentenceOf } from '@/components/attempts/attempt-sentence';
import { plotOfTimeline } from '@/components/plot/plot-of-timeline';
import { PositionPlot } from '@/components/plot/position-plot';
import { isOfStream } from '@/components/session/stream-of';
import { Bone } from '@/components/states/bone';

const HEIGHT = 148;

interface MiniPlotProps {
  readonly attempt: Attempt;
  readonly className: string | undefined;
  readonly height?: number;
}

/** The attempt in the picture of its session; nothing where the request carried no session. */
export function MiniPlot({ attempt, className, height = HEIGHT }: MiniPlotProps) {
  const timeline = useTimeline(attempt.session);
  const stream = attempt.stream ?? 'get';
  const data = useMemo(() => {
    const steps = timeline.data?.filter((step) => isOfStream(step.record, stream));
    return steps === undefined ? null : plotOfTimeline(steps, new Map([[attempt.id, attempt]]));
  }, [timeline.data, stream, attempt]);
  if (attempt.session === null || timeline.isError) return null;
  return (
    <section className={className} aria-label="Position against time">
      {data === null ? (
        <Bone height={height} />
      ) : (
        <PositionPlot data={data} height={height} finding={sentenceOf(attempt)} selected={attempt.id} isMini />
      )}
    </section>
  );
}
