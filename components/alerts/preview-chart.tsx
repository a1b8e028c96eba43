'use client';

import { useMemo } from 'react';
import { CartesianGrid, ComposedChart, Line, ReferenceArea, ReferenceLine, Tooltip, XAxis, YAxis } from 'recharts';
import { valueWords } from '@/components/alerts/alert-words';
import { type FiringPoint, firingStretches } from '@/components/alerts/firing-stretches';
import css from '@/components/alerts/preview.module.css';
import { niceTop } from '@/components/chart/nice-top';
import { tickWords, timeTicks } from '@/components/chart/time-ticks';
import { useWidth } from '@/components/chart/use-width';
import { fullInstant } from '@/components/format/instant';
import type { PreviewAnswer } from '@/lib/alerting/answer-schema';

interface PreviewChartProps {
  readonly preview: PreviewAnswer;
  readonly measure: string;
  readonly threshold: number | null;
  /** What the chart shows, in one sentence, for those who do not see it. */
  readonly finding: string;
}

interface Point extends FiringPoint {
  readonly value: number | null;
}

const HEIGHT = 220;
const AXIS_WIDTH = 48;
const SEEN_PX = 3;

/** The measure over time against its threshold; where the rule would have fired the ground is tinted, full height. */
export function PreviewChart({ preview, measure, threshold, finding }: PreviewChartProps) {
  const [ref, width] = useWidth();
  const from = Date.parse(preview.from);
  const to = Date.parse(preview.to);
  const data = useMemo<Point[]>(() => preview.points.map((point) => ({ ...point, at: Date.parse(point.at) })), [preview]);
  const stretches = useMemo(() => firingStretches(data), [data]);
  // A short episode still has to be seen: it takes at least a few pixels of the axis.
  const leastMs = width === 0 ? 0 : ((to - from) / width) * SEEN_PX;
  const top = topOf(data, threshold);
  const ticks = timeTicks(from, to, Math.max(2, Math.floor(width / 90)));
  return (
    <figure>
      <div ref={ref} className={css['chart']} role="img" aria-label={finding}>
        {width > 0 && (
          <ComposedChart
            width={width}
            height={HEIGHT}
            data={data}
            margin={{ top: 8, right: 10, bottom: 0, left: 0 }}
            accessibilityLayer={false}
          >
            <CartesianGrid vertical={false} stroke="var(--p-grid)" />
            {stretches.map(([first, last]) => (
              <ReferenceArea
                key={first}
                x1={Math.min(first, to - leastMs)}
                x2={Math.max(last, Math.min(first, to - leastMs) + leastMs)}
                fill="var(--v-unsafe)"
                fillOpacity={0.22}
                stroke="var(--v-unsafe)"
                strokeOpacity={0.5}
              />
            ))}
            <XAxis
              dataKey="at"
              type="number"
              domain={[from, to]}
              ticks={ticks}
              tickFormatter={(at: number) => tickWords(at, ticks)}
              tickLine={false}
              tickMargin={6}
              axisLine={{ stroke: 'var(--p-axis)' }}
              height={24}
            />
            <YAxis
              width={AXIS_WIDTH}
              domain={[0, top]}
              ticks={[0, top / 2, top]}
              tickFormatter={valueWords}
              tickLine={false}
              axisLine={false}
            />
            {threshold !== null && <ReferenceLine y={threshold} stroke="var(--text-2)" strokeDasharray="4 3" ifOverflow="extendDomain" />}
            <Line
              dataKey="value"
              type="stepAfter"
              stroke="var(--p-head)"
              strokeWidth={1.4}
              dot={false}
              activeDot={{ r: 3, fill: 'var(--p-head)', stroke: 'none' }}
              connectNulls={false}
              isAnimationActive={false}
            />
            <Tooltip
              isAnimationActive={false}
              cursor={{ stroke: 'var(--text-3)' }}
              content={({ active, payload }) => <Tip point={active === true ? payload[0]?.payload : undefined} measure={measure} />}
            />
          </ComposedChart>
        )}
      </div>
      <figcaption className={css['legend']}>
        <span>
          <i className={css['lineKey']} /> {measure}, the worst of all groups
        </span>
        <span>
          <i className={css['thresholdKey']} /> threshold
        </span>
        <span>
          <i className={css['firingKey']} /> would have fired
        </span>
      </figcaption>
    </figure>
  );
}

function Tip({ point, measure }: { readonly point: unknown; readonly measure: string }) {
  if (!isPoint(point)) return null;
  return (
    <div className={css['tip']}>
      <b>{fullInstant(point.at)}</b>
      <span>
        {measure} {point.value === null ? 'not measured' : valueWords(point.value)}
      </span>
      <span>{point.firing === 0 ? 'not firing' : `${point.firing} firing`}</span>
    </div>
  );
}

const isPoint = (point: unknown): point is Point => typeof point === 'object' && point !== null && 'firing' in point && 'at' in point;

function topOf(data: readonly Point[], threshold: number | null): number {
  const most = Math.max(0, ...data.map(({ value }) => value ?? 0));
  const isShare = most <= 1 && threshold !== null && threshold <= 1 && !Number.isInteger(threshold);
  return isShare ? 1 : niceTop(Math.max(most, threshold ?? 0));
}
