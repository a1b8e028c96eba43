'use client';

import { type PointerEvent, useMemo, useState } from 'react';
import { niceTop } from '@/components/chart/nice-top';
import { useDragZoom, type ZoomArea } from '@/components/chart/use-drag-zoom';
import { useWidth } from '@/components/chart/use-width';
import { AnnotationLanes } from '@/components/overview/annotation-lanes-view';
import type { Annotation } from '@/components/overview/annotation-words';
import css from '@/components/overview/attempts-chart.module.css';
import { AttemptsDrawing, AXIS_WIDTH, BARS_PX, HEIGHT_PX, RIGHT_PX } from '@/components/overview/attempts-drawing';
import type { Bar } from '@/components/overview/attempts-over-time';
import { barAt } from '@/components/overview/bar-geometry';
import { isBlind } from '@/components/overview/blind-time';
import { ChartTip } from '@/components/overview/chart-tip';
import type { Blindness } from '@/lib/wire/responses';

interface AttemptsChartProps {
  readonly bars: readonly Bar[];
  readonly stepS: number;
  /** Stretches of which telemetry is known to be missing. */
  readonly blind: Blindness['blind'];
  /** Attempts of the bars one period before; null where they are not asked for. */
  readonly before: readonly number[] | null;
  readonly annotations: readonly Annotation[];
  /** What the chart shows, in one sentence, for those who do not see it. */
  readonly finding: string;
  /** Told what was dragged over, in whole bars. Epoch milliseconds. */
  readonly onZoom: (fromMs: number, toMs: number) => void;
}

/** Attempts over time by mark, faults at the base, under what happened beside them, and over the refusals of live cursors and the events that were lost. */
export function AttemptsChart({ bars, stepS, blind, before, annotations, finding, onZoom }: AttemptsChartProps) {
  const [ref, width] = useWidth();
  const stepMs = stepS * 1_000;
  const area = useMemo(() => zoomArea(bars, stepMs, width), [bars, stepMs, width]);
  const { dragged, handlers } = useDragZoom(area, onZoom);
  const [pointed, setPointed] = useState(-1);
  const top = useMemo(() => niceTop(Math.max(0, ...bars.map((bar) => bar.total), ...(before ?? []))), [bars, before]);
  const point = (event: PointerEvent<HTMLElement>) => {
    handlers.onPointerMove(event);
    setPointed(barAt(area, bars.length, event.clientX - event.currentTarget.getBoundingClientRect().left));
  };
  const bar = bars[pointed];
  return (
    <div className={css['whole']}>
      {width > 0 && <AnnotationLanes annotations={annotations} area={area} />}
      <div ref={ref} className={css['chart']} style={{ height: HEIGHT_PX }}>
        <div
          className={css['ground']}
          role="img"
          aria-label={finding}
          {...handlers}
          onPointerMove={point}
          onPointerLeave={() => setPointed(-1)}
        >
          {width > 0 && <AttemptsDrawing bars={bars} stepMs={stepMs} area={area} width={width} top={top} blind={blind} before={before} />}
          {bar !== undefined && <span className={css['pointed']} style={barBox(area, bars.length, pointed)} />}
          {dragged !== null && <span className={css['dragged']} style={dragged} data-testid="dragged" />}
        </div>
        {bar !== undefined && dragged === null && (
          <div className={css['tipPlace']} style={tipPlace(area, bars.length, pointed)}>
            <ChartTip
              bar={bar}
              stepS={stepS}
              isBlind={isBlind(bar.at, stepMs, blind)}
              before={before?.[pointed] ?? null}
              annotations={annotations.filter((one) => touches(one, bar.at, stepMs))}
            />
          </div>
        )}
      </div>
    </div>
  );
}

function touches({ at, until }: Annotation, fromMs: number, stepMs: number): boolean {
  const first = Date.parse(at);
  return first < fromMs + stepMs && (until === null ? first >= fromMs : Date.parse(until) >= fromMs);
}

function zoomArea(bars: readonly Bar[], stepMs: number, width: number): ZoomArea {
  const [first, last] = [bars[0]?.at ?? 0, bars.at(-1)?.at ?? 0];
  return { left: AXIS_WIDTH, right: Math.max(AXIS_WIDTH + 1, width - RIGHT_PX), fromMs: first, toMs: last + stepMs, stepMs };
}

function barBox({ left, right }: ZoomArea, bars: number, index: number) {
  const step = (right - left) / Math.max(1, bars);
  return { left: left + index * step, width: Math.max(1, step) };
}

/** Beside the bar, on the side that has more room. */
function tipPlace(area: ZoomArea, bars: number, index: number) {
  const { left, width } = barBox(area, bars, index);
  const isLeft = left > (area.left + area.right) / 2;
  return { top: Math.min(20, BARS_PX), ...(isLeft ? { right: `calc(100% - ${left - 10}px)` } : { left: left + width + 10 }) };
}
