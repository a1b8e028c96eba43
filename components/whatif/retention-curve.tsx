'use client';

import { useId } from 'react';
import { useWidth } from '@/components/chart/use-width';
import { countOf, formatCount } from '@/components/format/count';
import { CopyButton } from '@/components/ui/copy-button';
import { bytesText } from '@/components/whatif/bytes-text';
import { curveFinding } from '@/components/whatif/curve-finding';
import css from '@/components/whatif/whatif.module.css';
import type { RetentionAdvice, RetentionPoint } from '@/lib/whatif/retention';

const HEIGHT = 150;
const BOX = { left: 42, right: 8, top: 12, bottom: 24 } as const;
/** The axis goes on beyond what was measured, so that the unmeasured zone can be seen. */
const BEYOND = 1.25;

interface RetentionCurveProps {
  readonly advice: RetentionAdvice;
  /** Events that the reader tries; drawn as a line of its own. */
  readonly tried?: number | null;
}

/** Share of reconnects served whole against events kept: what is kept now, the knee, and where nothing was measured. */
export function RetentionCurve({ advice, tried = null }: RetentionCurveProps) {
  const [ref, width] = useWidth();
  const hatch = useId();
  const { points, knee, keptNow, measuredUpTo } = advice;
  const most = Math.max(2, (measuredUpTo || 1) * BEYOND, Math.min(keptNow ?? 0, measuredUpTo * 3), Math.min(tried ?? 0, measuredUpTo * 3));
  const xOf = (events: number) => BOX.left + (Math.min(events, most) / most) * (width - BOX.left - BOX.right);
  const yOf = (share: number) => BOX.top + (1 - share) * (HEIGHT - BOX.top - BOX.bottom);
  const room = knee.bytes === null ? '' : `, about ${bytesText(knee.bytes)} a stream`;
  return (
    <div ref={ref} className={css['curve']}>
      <p className={css['faint']}>Share of {countOf(advice.measured + advice.censored, 'reconnect')} served whole, by events kept</p>
      {width > 0 && (
        <svg width={width} height={HEIGHT} role="img" aria-label={curveFinding(advice)}>
          <defs>
            <pattern id={hatch} width={7} height={7} patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
              <line x1={0} y1={0} x2={0} y2={7} stroke="var(--p-blind)" strokeWidth={2} />
            </pattern>
          </defs>
          {[0, 0.5, 1].map((share) => (
            <g key={share}>
              <line
                x1={BOX.left}
                x2={width - BOX.right}
                y1={yOf(share)}
                y2={yOf(share)}
                className={share === 0 ? css['axis'] : css['grid']}
              />
              <text x={BOX.left - 5} y={yOf(share) + 4} textAnchor="end">
                {share * 100} %
              </text>
            </g>
          ))}
          <rect
            x={xOf(measuredUpTo)}
            y={yOf(1)}
            width={Math.max(0, xOf(most) - xOf(measuredUpTo))}
            height={yOf(0) - yOf(1)}
            fill={`url(#${hatch})`}
          />
          {advice.censored > 0 && <path d={pathOf(points, 'servedAtMost', xOf, yOf)} className={css['atMost']} />}
          <path d={pathOf(points, 'served', xOf, yOf)} className={css['served']} />
          {keptNow !== null && <Upright x={xOf(keptNow)} y={yOf} words={`kept now, ${formatCount(keptNow)}`} name="now" width={width} />}
          {tried !== null && <Upright x={xOf(tried)} y={yOf} words="" name="tried" width={width} />}
          <path d={`M${xOf(knee.events)} ${yOf(0)}V${yOf(knee.served)}`} className={css['kneeLine']} />
          <circle cx={xOf(knee.events)} cy={yOf(knee.served)} r={4.5} className={css['knee']} />
          <text
            className={css['strong']}
            x={xOf(knee.events) + (xOf(knee.events) > width * 0.55 ? -9 : 9)}
            y={yOf(knee.served) + 18}
            textAnchor={xOf(knee.events) > width * 0.55 ? 'end' : 'start'}
          >
            knee {formatCount(knee.events)}, {Math.round(knee.served * 100)} %
          </text>
          {[0, measuredUpTo].map((events) => (
            <text key={events} x={xOf(events)} y={HEIGHT - 8} textAnchor="middle">
              {events === 0 ? '0' : countOf(events, 'event')}
            </text>
          ))}
          {xOf(most) - xOf(measuredUpTo) > 60 && (
            <text className={css['halo']} x={(xOf(measuredUpTo) + xOf(most)) / 2} y={yOf(0.5) + 4} textAnchor="middle">
              not measured
            </text>
          )}
        </svg>
      )}
      {advice.configLine !== null && (
        <p className={css['config']}>
          <code>{advice.configLine}</code>
          <CopyButton look="ghost" square label="Copy the configuration" text={advice.configLine} />
        </p>
      )}
      <p className={css['faint']}>
        {advice.configLine === null
          ? 'No reconnect that could be measured had missed an event: there is nothing to keep for them.'
          : `${countOf(knee.refusalsAvoided, 'refusal')} avoided${room}.`}{' '}
        {advice.censoring}
      </p>
    </div>
  );
}

interface UprightProps {
  readonly x: number;
  readonly y: (share: number) => number;
  readonly words: string;
  readonly name: 'now' | 'tried';
  readonly width: number;
}

function Upright({ x, y, words, name, width }: UprightProps) {
  const isLate = x > width * 0.6;
  return (
    <>
      <path d={`M${x} ${y(0)}V${y(1)}`} className={css[name]} />
      {words !== '' && (
        <text className={css['halo']} x={isLate ? x - 5 : x + 5} y={y(0) - 6} textAnchor={isLate ? 'end' : 'start'}>
          {words}
        </text>
      )}
    </>
  );
}

function pathOf(
  points: readonly RetentionPoint[],
  share: 'served' | 'servedAtMost',
  xOf: (events: number) => number,
  yOf: (share: number) => number,
): string {
  let path = `M${xOf(0)} ${yOf(0)}`;
  for (const point of points) path += `H${xOf(point.events).toFixed(1)}V${yOf(point[share]).toFixed(1)}`;
  return path;
}
