'use client';

import { useCallback, useMemo } from 'react';
import type { AttemptsChartReads } from '@/components/api/use-attempts-chart';
import { TwinSwitch } from '@/components/chart/twin-switch';
import { useTwin } from '@/components/chart/use-twin';
import { formatCount } from '@/components/format/count';
import { fullInstant } from '@/components/format/instant';
import { zoneName } from '@/components/format/zone';
import { type Annotation, annotationWords, KIND_WORDS } from '@/components/overview/annotation-words';
import { AttemptsChart } from '@/components/overview/attempts-chart';
import css from '@/components/overview/attempts-chart.module.css';
import { alignedBefore, type Bar, barsOf, totalsOf } from '@/components/overview/attempts-over-time';
import { BlindSwatch } from '@/components/overview/blind-pattern';
import { isBlind } from '@/components/overview/blind-time';
import { chartFinding } from '@/components/overview/chart-finding';
import { CompareSwitch } from '@/components/overview/compare-switch';
import { UnavailableSwatch } from '@/components/overview/unavailable-strip';
import { Bone } from '@/components/states/bone';
import { Held } from '@/components/states/held';
import { QueryFailure } from '@/components/states/query-failure';
import { absoluteRange, stepWords } from '@/components/time-range/time-range';
import { useTimeRange } from '@/components/time-range/use-time-range';
import { DataTable } from '@/components/ui/data-table';
import { SectionHead } from '@/components/ui/section-head';
import { TextLink } from '@/components/ui/text-link';
import { MARK_STYLE } from '@/components/verdict-mark/mark-style';
import { VerdictMark } from '@/components/verdict-mark/verdict-mark';
import { MARKS } from '@/lib/resume/mark';
import type { Series } from '@/lib/wire/responses';

const NONE: readonly Annotation[] = [];

/** The chart of attempts of one server or of all, or what stands in its place while it is read or cannot be. */
export function AttemptsSection({ reads }: { readonly reads: AttemptsChartReads }) {
  const { series, before, annotations } = reads;
  return (
    <div>
      <QueryFailure what="The chart of attempts" query={series} />
      <QueryFailure what="What happened beside the attempts" query={annotations} />
      {before !== null && <QueryFailure what="The period before" query={before} />}
      {series.data === undefined ? (
        series.isPending && <Bone height={372} />
      ) : (
        <Held queries={before === null ? [series, annotations] : [series, annotations, before]}>
          <Drawn series={series.data} before={before?.data} annotations={annotations.data?.items} />
        </Held>
      )}
    </div>
  );
}

interface DrawnProps {
  readonly series: Series;
  /** The series of the period before, of the same steps; undefined where it is not asked for or not read. */
  readonly before: Series | undefined;
  /** Undefined where they are not read. */
  readonly annotations: readonly Annotation[] | undefined;
}

/** Attempts over time by mark and what happened beside them, as a chart or as the tables of the same numbers. */
function Drawn({ series, before, annotations }: DrawnProps) {
  const [isTable, setTable] = useTwin('attempts');
  const [, setRange] = useTimeRange();
  const zoom = useCallback(
    (fromMs: number, toMs: number) => {
      const range = absoluteRange(fromMs, toMs);
      if (range !== null) setRange(range);
    },
    [setRange],
  );
  const bars = useMemo(() => barsOf(series), [series]);
  const earlier = useMemo(() => (before === undefined ? null : alignedBefore(bars, series, before)), [bars, series, before]);
  const { marks, lost, unavailable } = useMemo(() => totalsOf(bars), [bars]);
  return (
    <section aria-label="Resume attempts over time">
      <SectionHead
        title="Resume attempts"
        sub={`one bar is ${stepWords(series.step_s)}, ${zoneName()}, faults at the base, drag to zoom`}
        acts={
          <>
            <CompareSwitch />
            <TwinSwitch isTable={isTable} onChange={setTable} />
          </>
        }
      />
      <ul className={css['legend']}>
        {MARKS.map((mark) => (
          <li key={mark} className={css['entry']} title={MARK_STYLE[mark].meaning}>
            <VerdictMark mark={mark} /> {MARK_STYLE[mark].word} <b>{formatCount(marks[mark])}</b>
          </li>
        ))}
        <li
          className={css['entry']}
          title="Refusals of a live session’s cursor. Each is counted by its verdict, too; the line is under the bars."
        >
          <UnavailableSwatch /> <code>resume_unavailable</code> <b>{formatCount(unavailable)}</b>
        </li>
        {earlier !== null && <BeforeEntry bars={bars} before={earlier} />}
        {series.at_least && (
          <li
            className={css['entry']}
            title="Batches never arrived, or records were dropped by their senders or rejected: counts are at least what they say."
          >
            <BlindSwatch /> telemetry missing
          </li>
        )}
      </ul>
      {isTable ? (
        <>
          <BarTable bars={bars} series={series} before={earlier} />
          {annotations === undefined ? (
            <p className={css['unread']}>What happened beside the attempts is not read.</p>
          ) : (
            <AnnotationTable annotations={annotations} />
          )}
        </>
      ) : (
        <AttemptsChart
          bars={bars}
          stepS={series.step_s}
          blind={series.blind}
          before={earlier}
          annotations={annotations ?? NONE}
          finding={chartFinding(bars, { lost, unavailable }, series.at_least)}
          onZoom={zoom}
        />
      )}
    </section>
  );
}

function BeforeEntry({ bars, before }: { readonly bars: readonly Bar[]; readonly before: readonly number[] }) {
  const now = bars.reduce((sum, { total }) => sum + total, 0);
  const then = before.reduce((sum, count) => sum + count, 0);
  const change = then === 0 ? null : Math.round((Math.abs(now - then) / then) * 100);
  return (
    <li className={css['entry']} title="Attempts of the period of the same length before">
      <svg width={14} height={8} aria-hidden="true">
        <path d="M0 4H14" stroke="var(--text-1)" strokeWidth={1.3} strokeDasharray="5 3" />
      </svg>
      before <b>{formatCount(then)}</b>
      {change !== null && now !== then && `now ${formatCount(change)} % ${now > then ? 'more' : 'less'}`}
    </li>
  );
}

interface BarTableProps {
  readonly bars: readonly Bar[];
  readonly series: Series;
  readonly before: readonly number[] | null;
}

function BarTable({ bars, series, before }: BarTableProps) {
  const isMissing = (bar: Bar) => isBlind(bar.at, series.step_s * 1_000, series.blind);
  const rows = bars
    .map((bar, index) => ({ bar, earlier: before?.[index] ?? 0 }))
    .filter(({ bar, earlier }) => bar.total > 0 || bar.lost > 0 || earlier > 0 || isMissing(bar))
    .reverse();
  return (
    <DataTable
      label="Resume attempts over time"
      heads={[
        'From',
        ...MARKS.map((mark) => MARK_STYLE[mark].word),
        ...(before === null ? [] : ['before']),
        'resume_unavailable',
        'events lost',
        'telemetry',
      ]}
      rows={rows.map(({ bar, earlier }) => ({
        key: String(bar.at),
        cells: [
          fullInstant(bar.at),
          ...MARKS.map((mark) => formatCount(bar[mark])),
          ...(before === null ? [] : [formatCount(earlier)]),
          formatCount(bar.unavailable),
          formatCount(bar.lost),
          isMissing(bar) ? 'missing' : 'whole',
        ],
      }))}
      empty="No attempt in this range."
    />
  );
}

function AnnotationTable({ annotations }: { readonly annotations: readonly Annotation[] }) {
  return (
    <DataTable
      label="What happened beside the attempts"
      heads={['From', 'what', 'in words', 'to']}
      rows={[...annotations].reverse().map((one, index) => ({
        key: `${one.at} ${one.kind} ${index}`,
        cells: [
          fullInstant(Date.parse(one.at)),
          KIND_WORDS[one.kind],
          one.incident === null ? (
            annotationWords(one)
          ) : (
            <TextLink key={one.incident} href={`/incidents/${one.incident}`}>
              {annotationWords(one)}
            </TextLink>
          ),
          one.until === null ? '' : fullInstant(Date.parse(one.until)),
        ],
      }))}
      empty="No boot, deploy, eviction or incident in this range."
    />
  );
}
