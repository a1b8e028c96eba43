'use client';

import { useCallback, useMemo, useRef } from 'react';
import { useWidth } from '@/components/chart/use-width';
import { type DebuggerStore, useDebuggerState } from '@/components/debugger/debugger-store';
import { hitAt } from '@/components/debugger/model/hit';
import { stageFrame } from '@/components/debugger/model/stage-frame';
import type { Brush } from '@/components/debugger/stage/brush';
import { drawSelected } from '@/components/debugger/stage/draw-attempts';
import { drawLanes, LANE_PX } from '@/components/debugger/stage/draw-lanes';
import { drawPlot } from '@/components/debugger/stage/draw-plot';
import { FactTip } from '@/components/debugger/stage/fact-tip';
import { GUTTER, PHONE_GUTTER } from '@/components/debugger/stage/gutters';
import { Playhead } from '@/components/debugger/stage/playhead';
import css from '@/components/debugger/stage/stage.module.css';
import { useDrawing } from '@/components/debugger/stage/use-drawing';
import { useInk } from '@/components/debugger/stage/use-ink';
import { useStagePointer } from '@/components/debugger/stage/use-stage-pointer';
import type { Scene } from '@/components/debugger/use-scene';
import { useSteadyIndex } from '@/components/debugger/use-steady-index';
import { countOf } from '@/components/format/count';
import { zoneName } from '@/components/format/zone';
import { plotFinding } from '@/components/session/plot-finding';

const AXIS_PX = 26;
const TOP_PX = 34;

interface StageProps {
  readonly scene: Scene;
  readonly store: DebuggerStore;
  /** Height of the plot; the lanes stand below it. */
  readonly plotHeight: number;
}

/** Plot and lanes on one clock, with the playhead through both. */
export function Stage({ scene, store, plotHeight }: StageProps) {
  const [ref, width] = useWidth();
  const ink = useInk();
  const view = useDebuggerState(store, (state) => state.view);
  const { groups, lanes, history, data } = scene;
  const gutter = width < 560 ? PHONE_GUTTER : GUTTER;
  const laneTop = plotHeight + AXIS_PX;
  const height = laneTop + lanes.length * LANE_PX;
  const frame = useMemo(
    () => stageFrame(groups, view, history.axis, { left: gutter.left, right: width - gutter.right, top: TOP_PX, bottom: plotHeight - 4 }),
    [groups, view, history.axis, gutter, width, plotHeight],
  );
  const selected = scene.plotted.get(useSteadyIndex(store))?.key ?? null;
  const draw = useMemo(() => {
    if (width === 0) return null;
    const newest = groups.at(-1)?.stretches.at(-1);
    return (brush: Brush) => {
      drawPlot(brush, frame, newest);
      drawLanes(brush, frame, lanes, laneTop, history.axis === 'time' ? zoneName() : 'record');
    };
  }, [width, groups, frame, lanes, laneTop, history.axis]);
  const canvas = useDrawing(width, height, ink, draw);
  const mark = useMemo(
    () => (width === 0 ? null : (brush: Brush) => selected !== null && drawSelected(brush, frame, selected)),
    [width, frame, selected],
  );
  const marked = useDrawing(width, plotHeight, ink, mark);
  const placeOf = useMemo(() => new Map([...scene.plotted].map(([place, { key }]) => [key, place])), [scene.plotted]);
  const hit = useCallback(
    (px: number, py: number) => hitAt({ frame, lanes, laneTop, laneHeight: LANE_PX, placeOf }, px, py),
    [frame, lanes, laneTop, placeOf],
  );
  const box = useRef<HTMLDivElement>(null);
  const pointer = useStagePointer({ box, frame, scene, store, hit, axisTop: plotHeight, axisBottom: laneTop });
  return (
    <div ref={ref} className={css['stage']}>
      <div ref={box} className={css['box']} style={{ height }} {...pointer.handlers}>
        <canvas
          ref={canvas}
          style={{ width, height }}
          role="img"
          aria-label={`${plotFinding(data)}. ${countOf(scene.all.length, 'record')} in this session; the table tells the same.`}
          data-testid="stage"
        />
        <canvas ref={marked} style={{ width, height: plotHeight }} />
        <Playhead scene={scene} store={store} frame={frame} height={height} />
        {pointer.tip !== null && <FactTip scene={scene} tip={pointer.tip} frame={frame} />}
      </div>
    </div>
  );
}
