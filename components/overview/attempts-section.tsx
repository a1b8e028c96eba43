'use client';

import dynamic from 'next/dynamic';
import { useCallback, useMemo, useState } from 'react';
import { TwinSwitch } from '@/components/chart/twin-switch';
import { formatCount } from '@/components/format/count';
import { fullInstant } from '@/components/format/instant';
import { zoneName } from '@/components/format/zone';
import css from '@/components/overview/attempts-chart.module.css';
import { type Bar, barsOf, totalsOf } from '@/components/overview/attempts-over-time';
import { BlindSwatch } from '@/components/overview/blind-pattern';
import { isBlind } from '@/components/overview/blind-time';
import { chartFinding } from '@/components/overview/chart-finding';
import { Bone } from '@/components/states/bone';
import { absoluteRange, stepWords } from '@/components/time-range/time-range';
import { useTimeRange } from '@/components/time-range/use-time-range';
import { DataTable } from '@/components/ui/data-table';
import { SectionHead } from '@/components/ui/section-head';
import { MARK_STYLE } from '@/components/verdict-mark/mark-style';
import { VerdictMark } from '@/components/verdict-mark/verdict-mark';
import { MARKS } from '@/lib/resume/mark';
import type { Series } from '@/lib/wire/responses';

const AttemptsChart = dynamic(() => import('@/components/overview/attempts-chart').then((module) => module.AttemptsChart), {
  ssr: false,
  loading: () => <Bone height={276} />,
});

/** Attempts over time by mark, as a chart or as the table of the same numbers. */
export function AttemptsSection({ series }: { readonly series: Series }) {
  const [isTable, setTable] = useState(false);
  const [, setRange] = useTimeRange();
  const zoom = useCallback(
    (fromMs: number, toMs: number) => {
      const range = absoluteRange(fromMs, toMs);
      if (range !== null) setRange(range);
    },
    [setRange],
  );
  const bars = useMemo(() => barsOf(series), [series]);
  const { marks, lost } = useMemo(() => totalsOf(bars), [bars]);
  return (
    <section aria-label="Resume attempts over time">
      <SectionHead
        title="Resume attempts"
        sub={`one bar is ${stepWords(series.step_s)}, ${zoneName()}, faults at the base, drag to zoom`}
        acts={<TwinSwitch isTable={isTable} onChange={setTable} />}
      />
      <ul className={css['legend']}>
        {MARKS.map((mark) => (
          <li key={mark} className={css['entry']} title={MARK_STYLE[mark].meaning}>
            <VerdictMark mark={mark} /> {MARK_STYLE[mark].word} <b>{formatCount(marks[mark])}</b>
          </li>
        ))}
        {series.at_least && (
          <li
            className={css['entry']}
            title="Batches never arrived, or records were dropped by their sender: counts are at least what they say."
          >
            <BlindSwatch /> telemetry missing
          </li>
        )}
      </ul>
      {isTable ? (
        <BarTable bars={bars} series={series} />
      ) : (
        <AttemptsChart
          bars={bars}
          stepS={series.step_s}
          blind={series.blind}
          finding={chartFinding(bars, lost, series.at_least)}
          onZoom={zoom}
        />
      )}
    </section>
  );
}

function BarTable({ bars, series }: { readonly bars: readonly Bar[]; readonly series: Series }) {
  const isMissing = (bar: Bar) => isBlind(bar.at, series.step_s * 1_000, series.blind);
  const filled = bars.filter((bar) => bar.total > 0 || bar.lost > 0 || isMissing(bar)).reverse();
  return (
    <DataTable
      label="Resume attempts over time"
      heads={['From', ...MARKS.map((mark) => MARK_STYLE[mark].word), 'events lost', 'telemetry']}
      rows={filled.map((bar) => ({
        key: String(bar.at),
        cells: [
          fullInstant(bar.at),
          ...MARKS.map((mark) => formatCount(bar[mark])),
          formatCount(bar.lost),
          isMissing(bar) ? 'missing' : 'whole',
        ],
      }))}
      empty="No attempt in this range."
    />
  );
}
