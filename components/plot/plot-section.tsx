'use client';

import { TwinSwitch } from '@/components/chart/twin-switch';
import { useTwin } from '@/components/chart/use-twin';
import type { PlotData } from '@/components/plot/plot-data';
import { PlotKey } from '@/components/plot/plot-key';
import { PlotTwin } from '@/components/plot/plot-twin';
import { PositionPlot } from '@/components/plot/position-plot';
import { Bone } from '@/components/states/bone';
import { SectionHead } from '@/components/ui/section-head';

interface PlotSectionProps {
  /** Null while it is read. */
  readonly data: PlotData | null;
  readonly className: string | undefined;
  readonly height: number;
  /** What the plot shows, in one sentence. */
  readonly finding: string;
  readonly selected: string | null;
  readonly playhead?: number | null;
}

/** The plot as a part of a page: named, with its key and the table of its attempts. */
export function PlotSection({ data, className, height, finding, selected, playhead = null }: PlotSectionProps) {
  const [isTable, setTable] = useTwin('proof');
  const title = data?.axis === 'order' ? 'Position against order of records' : 'Position against time';
  const acts = (
    <>
      <PlotKey />
      <TwinSwitch isTable={isTable} onChange={setTable} />
    </>
  );
  return (
    <section className={className} aria-label={title}>
      <SectionHead title={title} acts={acts} />
      {data === null && <Bone height={height} />}
      {data !== null && isTable && <PlotTwin data={data} />}
      {data !== null && !isTable && <PositionPlot data={data} height={height} finding={finding} selected={selected} playhead={playhead} />}
    </section>
  );
}
