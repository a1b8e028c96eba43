'use client';

import { useState } from 'react';
import { TwinSwitch } from '@/components/chart/twin-switch';
import { timeOfDay } from '@/components/format/instant';
import { zoneName } from '@/components/format/zone';
import type { PlotData } from '@/components/plot/plot-data';
import { PositionPlot } from '@/components/plot/position-plot';
import { plotFinding } from '@/components/session/plot-finding';
import css from '@/components/session/session-page.module.css';
import { DataTable } from '@/components/ui/data-table';
import { useViewportHeight } from '@/components/ui/use-viewport-height';
import { MARK_STYLE } from '@/components/verdict-mark/mark-style';

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
  const [isTable, setTable] = useState(false);
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
          <AttemptTwin data={data} />
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

function PlotKey() {
  return (
    <>
      <Key name="head" line="var(--p-head)" width={1.8} />
      <Key name="floor" line="var(--p-floor)" width={1.4} />
      <Key name="client" line="var(--p-client)" width={1.6} dash="4 3" />
      <span className={css['key']}>
        <svg width={16} height={10} aria-hidden="true">
          <rect width={16} height={10} fill="var(--p-band)" />
        </svg>
        retained
      </span>
    </>
  );
}

function Key({
  name,
  line,
  width,
  dash,
}: {
  readonly name: string;
  readonly line: string;
  readonly width: number;
  readonly dash?: string;
}) {
  return (
    <span className={css['key']}>
      <svg width={16} height={10} aria-hidden="true">
        <path d="M0 5h16" stroke={line} strokeWidth={width} strokeDasharray={dash} />
      </svg>
      {name}
    </span>
  );
}

function AttemptTwin({ data }: { readonly data: PlotData }) {
  const range = (one: { first: bigint; last: bigint }) => `${one.first} to ${one.last}`;
  return (
    <DataTable
      label="Attempts of this session"
      heads={[data.axis === 'time' ? `Time, ${zoneName()}` : 'Record', 'verdict', 'cursor', 'missing', 'replayed', 'connection']}
      rows={data.attempts.map((attempt) => ({
        key: attempt.key,
        cells: [
          data.axis === 'time' ? timeOfDay(attempt.x) : String(attempt.x + 1),
          MARK_STYLE[attempt.mark].word,
          attempt.cursor === null ? 'none' : String(attempt.cursor),
          attempt.gapCount === null ? 'nothing countable' : `${attempt.gapCount}: ${attempt.gaps.slice(0, 3).map(range).join(', ')}`,
          attempt.replay === null ? 'nothing' : range(attempt.replay),
          attempt.conn ?? 'not reported',
        ],
      }))}
      empty="No resume attempt in this session."
    />
  );
}
