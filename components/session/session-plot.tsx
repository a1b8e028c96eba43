'use client';

import { TwinSwitch } from '@/components/chart/twin-switch';
import { useTwin } from '@/components/chart/use-twin';
import type { PlotData } from '@/components/plot/plot-data';
import { PlotKey } from '@/components/plot/plot-key';
import { PlotTwin } from '@/components/plot/plot-twin';
import { PositionPlot } from '@/components/plot/position-plot';
import { plotFinding } from '@/components/session/plot-finding';
import css from '@/components/session/session-page.module.css';
import { useViewportHeight } from '@/components/ui/use-viewport-height';

/** The plot takes what the window leaves beside the bars and the head of the page. */
const BESIDE_PLOT_PX = 250;
const PLOT_PX_MIN = 300;
const PLOT_PX_MAX = 720;

interface SessionPlotProps {
  readonly data: PlotData;
  readonly selected: string | null;
  readonly playhead: number | null;
  readonly onSelect: (key: string) => void;
}

/** The picture of the session, with its key and the table of its attempts. */
export function SessionPlot({ data, selected, playhead, onSelect }: SessionPlotProps) {
  const [isTable, setTable] = useTwin('plot');
  const height = Math.min(PLOT_PX_MAX, Math.max(PLOT_PX_MIN, useViewportHeight() - BESIDE_PLOT_PX));
  return (
    <>
      <div className={css['colHead']}>
        <h2>Position against {data.axis === 'time' ? 'time' : 'order of records'}</h2>
        <PlotKey />
        <span>
          <TwinSwitch isTable={isTable} onChange={setTable} />
        </span>
      </div>
      <div className={css['plot']}>
        {isTable ? (
          <PlotTwin data={data} />
        ) : (
          <PositionPlot
            data={data}
            height={height}
            finding={plotFinding(data)}
            selected={selected}
            playhead={playhead}
            onSelect={onSelect}
          />
        )}
      </div>
    </>
  );
}
