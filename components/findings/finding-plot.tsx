'use client';

import { useMemo } from 'react';
import type { Step } from '@/components/api/timeline';
import { useTimeline } from '@/components/api/use-session';
import { firstIllegalOf } from '@/components/findings/finding-detail';
import { plotOfTimeline } from '@/components/plot/plot-of-timeline';
import { PlotSection } from '@/components/plot/plot-section';
import { PositionPlot } from '@/components/plot/position-plot';
import { isOfStream } from '@/components/session/stream-of';
import { Bone } from '@/components/states/bone';
import type { FindingDetail } from '@/lib/audit/answer-schema';

/** Steps that are drawn before the first cited record and after the last. */
const AROUND = 150;

interface FindingPlotProps {
  readonly detail: FindingDetail;
  readonly className: string | undefined;
  readonly height: number;
  readonly isMini?: boolean;
}

/** The finding in the picture of its session, what is cited in the middle; nothing where it is about no session. */
export function FindingPlot({ detail, className, height, isMini = false }: FindingPlotProps) {
  const { finding, records } = detail;
  const timeline = useTimeline(finding.session);
  const first = firstIllegalOf(detail);
  const picture = useMemo(() => {
    if (timeline.data === undefined) return null;
    const steps = timeline.data.filter((step) => isOfStream(step.record, finding.stream ?? 'get'));
    const cited = new Set(records.map(({ id }) => id));
    const data = plotOfTimeline(around(steps, cited));
    const step = steps.find((one) => one.record.id === first?.id);
    const x = step === undefined ? null : data.axis === 'time' && step.at !== null ? Date.parse(step.at) : step.index;
    return { data, x };
  }, [timeline.data, finding.stream, records, first?.id]);
  if (finding.session === null || timeline.isError) return null;
  const selected = picture?.data.attempts.some(({ key }) => key === first?.id) === true ? (first?.id ?? null) : null;
  const words = `Position against time: ${finding.message}`;
  if (!isMini) {
    const { data = null, x = null } = picture ?? {};
    return <PlotSection data={data} className={className} height={height} finding={words} selected={selected} playhead={x} />;
  }
  return (
    <section className={className} aria-label="Position against time">
      {picture === null ? (
        <Bone height={height} />
      ) : (
        <PositionPlot data={picture.data} height={height} finding={words} selected={selected} playhead={picture.x} isMini />
      )}
    </section>
  );
}

/** The steps around those that are cited; all of them where none is found or the session is short. */
function around(steps: readonly Step[], cited: ReadonlySet<string>): readonly Step[] {
  const isCited = ({ record }: Step) => record.id !== undefined && cited.has(record.id);
  const first = steps.findIndex(isCited);
  if (first < 0) return steps;
  return steps.slice(Math.max(0, first - AROUND), steps.findLastIndex(isCited) + AROUND + 1);
}
