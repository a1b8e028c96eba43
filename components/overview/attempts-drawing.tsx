'use client';

import { memo, useMemo } from 'react';
import { countTicks } from '@/components/chart/nice-top';
import { tickWords, timeTicks } from '@/components/chart/time-ticks';
import { formatCount } from '@/components/format/count';
import type { Bar } from '@/components/overview/attempts-over-time';
import { type BarArea, meanPath, segmentsOf, xAt } from '@/components/overview/bar-geometry';
import { BLIND_FILL, BlindPattern } from '@/components/overview/blind-pattern';
import { blindRuns } from '@/components/overview/blind-time';
import { MarkBar, UnverifiablePattern } from '@/components/overview/mark-bar';
import { UNAVAILABLE_PX, UnavailableStrip } from '@/components/overview/unavailable-strip';
import { markColour } from '@/components/verdict-mark/mark-style';
import type { Blindness } from '@/lib/wire/responses';

/** Measures of the drawing, in pixels: axis at the left, bars, the strips of refusals and of lost events under them, time axis. */
export const AXIS_WIDTH = 44;
export const RIGHT_PX = 14;
const TOP_PX = 8;
export const BARS_PX = 192;
const UNAVAILABLE_TOP = TOP_PX + BARS_PX + 8;
const LOST_TOP = UNAVAILABLE_TOP + UNAVAILABLE_PX + 8;
const LOST_PX = 40;
const AXIS_Y = LOST_TOP + LOST_PX;
export const HEIGHT_PX = AXIS_Y + 24;
/** Room for the words of a tick. */
const TICK_PX = 84;
/** The least height of a loss that occurred. */
const LEAST_LOSS = 2;

interface DrawingProps {
  readonly bars: readonly Bar[];
  readonly stepMs: number;
  readonly area: BarArea;
  readonly width: number;
  readonly top: number;
  readonly blind: Blindness['blind'];
  readonly before: readonly number[] | null;
}

/** The drawing itself, which nothing that points at it redraws. */
export const AttemptsDrawing = memo(function AttemptsDrawing({ bars, stepMs, area, width, top, blind, before }: DrawingProps) {
  const segments = useMemo(() => segmentsOf(bars, area, top, BARS_PX), [bars, area, top]);
  const hatched = useMemo(() => blindRuns(bars, stepMs, blind), [bars, stepMs, blind]);
  const line = useMemo(() => (before === null ? null : meanPath(before, area, top, BARS_PX)), [before, area, top]);
  return (
    <svg width={width} height={HEIGHT_PX} aria-hidden="true">
      <defs>
        <UnverifiablePattern />
        <BlindPattern />
      </defs>
      {hatched.map(({ firstAt, lastAt }) => {
        const x = xAt(area, firstAt);
        return (
          <rect
            key={firstAt}
            data-blind=""
            x={x}
            y={0}
            width={xAt(area, lastAt + stepMs) - x}
            height={AXIS_Y}
            fill={BLIND_FILL}
            stroke="var(--p-blind)"
          />
        );
      })}
      <Grid area={area} top={top} />
      <g transform={`translate(0 ${TOP_PX})`}>
        {segments.map((segment) => (
          <MarkBar key={`${segment.x} ${segment.mark}`} mark={segment.mark} box={segment} />
        ))}
        {line !== null && <BeforeLine d={line} />}
      </g>
      <UnavailableStrip bars={bars} area={area} top={UNAVAILABLE_TOP} />
      <LostStrip bars={bars} area={area} />
      <TimeAxis area={area} />
    </svg>
  );
});

/** Dashed and neutral, on a halo that sets it off from the bars. */
function BeforeLine({ d }: { readonly d: string }) {
  return (
    <g fill="none" strokeLinejoin="round">
      <path d={d} stroke="var(--p-halo)" strokeWidth={3.5} opacity={0.8} />
      <path d={d} data-before="" stroke="var(--text-1)" strokeWidth={1.3} strokeDasharray="5 3" />
    </g>
  );
}

function Grid({ area, top }: { readonly area: BarArea; readonly top: number }) {
  return countTicks(top).map((count) => {
    const y = TOP_PX + BARS_PX - (count / top) * BARS_PX;
    return (
      <g key={count}>
        <path d={`M${area.left} ${y}H${area.right}`} stroke={count === 0 ? 'var(--p-axis)' : 'var(--p-grid)'} />
        <text x={area.left - 8} y={y + 4} textAnchor="end">
          {formatCount(count)}
        </text>
      </g>
    );
  });
}

/** Events lost, on a scale of their own: beside thousands of attempts they would not be seen. */
function LostStrip({ bars, area }: { readonly bars: readonly Bar[]; readonly area: BarArea }) {
  const most = Math.max(0, ...bars.map((bar) => bar.lost));
  const step = (area.right - area.left) / Math.max(1, bars.length);
  return (
    <g>
      <text x={area.left - 8} y={LOST_TOP + 24} textAnchor="end">
        {most === 0 ? 'lost: 0' : 'lost'}
      </text>
      {most > 0 && (
        <text x={area.left - 8} y={LOST_TOP + 9} textAnchor="end">
          {formatCount(most)}
        </text>
      )}
      {bars.map((bar, index) => {
        if (bar.lost === 0) return null;
        const height = Math.max(LEAST_LOSS, (bar.lost / most) * LOST_PX);
        return (
          <rect
            key={bar.at}
            x={area.left + index * step}
            y={AXIS_Y - height}
            width={Math.max(1, step)}
            height={height}
            fill={markColour('unsafe_resume')}
          />
        );
      })}
    </g>
  );
}

function TimeAxis({ area }: { readonly area: BarArea }) {
  const ticks = timeTicks(area.fromMs, area.toMs, Math.max(2, Math.floor((area.right - area.left) / TICK_PX)));
  return (
    <g>
      <path d={`M${area.left} ${AXIS_Y}H${area.right}`} stroke="var(--p-axis)" />
      {ticks.map((tick) => (
        <text key={tick} x={xAt(area, tick)} y={AXIS_Y + 18} textAnchor="middle">
          {tickWords(tick, ticks)}
        </text>
      ))}
    </g>
  );
}
