'use client';

import { useMemo } from 'react';
import { BarChart, Bar as BarShape, CartesianGrid, ReferenceArea, Tooltip, XAxis, YAxis } from 'recharts';
import { countTicks, niceTop } from '@/components/chart/nice-top';
import { tickWords, timeTicks } from '@/components/chart/time-ticks';
import { useDragZoom, type ZoomArea } from '@/components/chart/use-drag-zoom';
import { useWidth } from '@/components/chart/use-width';
import { formatCount } from '@/components/format/count';
import css from '@/components/overview/attempts-chart.module.css';
import { type Bar, barTicks } from '@/components/overview/attempts-over-time';
import { BLIND_FILL, BlindPattern } from '@/components/overview/blind-pattern';
import { blindRuns, isBlind } from '@/components/overview/blind-time';
import { ChartTip } from '@/components/overview/chart-tip';
import { type BarBox, MarkBar, UnverifiablePattern } from '@/components/overview/mark-bar';
import { markColour } from '@/components/verdict-mark/mark-style';
import { MARKS, type Mark } from '@/lib/resume/mark';
import type { Blindness } from '@/lib/wire/responses';

interface AttemptsChartProps {
  readonly bars: readonly Bar[];
  readonly stepS: number;
  /** Stretches of which telemetry is known to be missing. */
  readonly blind: Blindness['blind'];
  /** What the chart shows, in one sentence, for those who do not see it. */
  readonly finding: string;
  /** Told what was dragged over, in whole bars. Epoch milliseconds. */
  readonly onZoom: (fromMs: number, toMs: number) => void;
}

const AXIS_WIDTH = 44;
const MARGIN = { top: 8, right: 14, bottom: 0, left: 0 };
const GRID = { stroke: 'var(--p-grid)' };

/** Attempts over time by mark, faults at the base, and under them the events that were lost. */
export function AttemptsChart({ bars, stepS, blind, finding, onZoom }: AttemptsChartProps) {
  const [ref, width] = useWidth();
  const area = useMemo(() => zoomArea(bars, stepS * 1_000, width), [bars, stepS, width]);
  const { dragged, handlers } = useDragZoom(area, onZoom);
  const top = useMemo(() => niceTop(Math.max(0, ...bars.map((bar) => bar.total))), [bars]);
  const lostTop = useMemo(() => Math.max(1, ...bars.map((bar) => bar.lost)), [bars]);
  const hasLoss = bars.some((bar) => bar.lost > 0);
  const data = useMemo(() => [...bars], [bars]);
  const ticks = useMemo(() => axisTicks(bars, stepS * 1_000, width), [bars, stepS, width]);
  const hatched = useMemo(() => blindRuns(bars, stepS * 1_000, blind), [bars, stepS, blind]);
  const axis = {
    dataKey: 'at',
    ticks: [...ticks.keys()],
    interval: 0,
    tickSize: 0,
    tickMargin: 8,
    axisLine: { stroke: 'var(--p-axis)' },
  } as const;
  return (
    <div ref={ref} className={css['chart']} role="img" aria-label={finding} {...handlers}>
      {width > 0 && (
        <>
          <BarChart
            width={width}
            height={206}
            data={data}
            margin={{ ...MARGIN, bottom: 7 }}
            barCategoryGap={width / Math.max(1, bars.length) > 3 ? 1 : 0}
            syncId="overview"
            accessibilityLayer={false}
          >
            <defs>
              <UnverifiablePattern />
              <BlindPattern />
            </defs>
            {hatched.map(({ firstAt, lastAt }) => (
              <ReferenceArea key={firstAt} x1={firstAt} x2={lastAt} fill={BLIND_FILL} fillOpacity={1} stroke="var(--p-blind)" />
            ))}
            <CartesianGrid vertical={false} {...GRID} />
            <XAxis {...axis} tick={false} height={1} />
            <YAxis
              width={AXIS_WIDTH}
              domain={[0, top]}
              ticks={countTicks(top)}
              interval={0}
              tickLine={false}
              axisLine={false}
              tickFormatter={formatCount}
            />
            <Tooltip
              cursor={{ fill: 'var(--text-1)', fillOpacity: 0.06 }}
              isAnimationActive={false}
              wrapperStyle={{ zIndex: 5 }}
              content={({ active, payload, label }) => (
                <ChartTip
                  isShown={active === true}
                  bar={payload[0]?.payload}
                  stepS={stepS}
                  isBlind={typeof label === 'number' && isBlind(label, stepS * 1_000, blind)}
                />
              )}
            />
            {MARKS.map((mark) => (
              <BarShape key={mark} dataKey={mark} stackId="marks" isAnimationActive={false} shape={(box: unknown) => shapeOf(mark, box)} />
            ))}
          </BarChart>
          <BarChart width={width} height={70} data={data} margin={MARGIN} barCategoryGap={0} syncId="overview" accessibilityLayer={false}>
            <XAxis
              {...axis}
              tickLine={false}
              height={24}
              tickFormatter={(at: number) => tickWords(ticks.get(at) ?? at, [...ticks.values()])}
            />
            <YAxis width={AXIS_WIDTH} domain={[0, lostTop]} tick={false} tickLine={false} axisLine={false} />
            {hatched.map(({ firstAt, lastAt }) => (
              <ReferenceArea key={firstAt} x1={firstAt} x2={lastAt} fill={BLIND_FILL} fillOpacity={1} />
            ))}
            <Tooltip cursor={{ fill: 'var(--text-1)', fillOpacity: 0.06 }} isAnimationActive={false} content={() => null} />
            <BarShape
              dataKey="lost"
              isAnimationActive={false}
              fill={markColour('unsafe_resume')}
              minPointSize={(value) => (Number(value) > 0 ? 2 : 0)}
            />
          </BarChart>
          {dragged !== null && <span className={css['dragged']} style={dragged} data-testid="dragged" />}
          <span className={css['strip']} aria-hidden="true">
            events
            <br />
            {hasLoss ? 'lost' : 'lost: 0'}
          </span>
        </>
      )}
    </div>
  );
}

function shapeOf(mark: Mark, box: unknown) {
  return <MarkBar mark={mark} box={isBox(box) ? box : null} />;
}

function isBox(box: unknown): box is BarBox {
  return typeof box === 'object' && box !== null && 'x' in box && 'y' in box && 'width' in box && 'height' in box;
}

function zoomArea(bars: readonly Bar[], stepMs: number, width: number): ZoomArea {
  const [first, last] = [bars[0]?.at ?? 0, bars.at(-1)?.at ?? 0];
  return { left: AXIS_WIDTH, right: Math.max(AXIS_WIDTH, width - MARGIN.right), fromMs: first, toMs: last + stepMs, stepMs };
}

function axisTicks(bars: readonly Bar[], stepMs: number, width: number): Map<number, number> {
  const [first, last] = [bars[0], bars.at(-1)];
  if (first === undefined || last === undefined) return new Map();
  return barTicks(bars, timeTicks(first.at, last.at + stepMs, Math.max(2, Math.floor(width / 110))), stepMs);
}
