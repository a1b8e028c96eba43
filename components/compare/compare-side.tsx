'use client';

import { useMemo } from 'react';
import css from '@/components/compare/compare.module.css';
import { readHistory } from '@/components/debugger/model/history';
import { foldSession } from '@/components/debugger/model/session-scene';
import { countOf, formatCount } from '@/components/format/count';
import { timeOfDay } from '@/components/format/instant';
import { plotOfTimeline } from '@/components/plot/plot-of-timeline';
import { PositionPlot } from '@/components/plot/position-plot';
import { plotFinding } from '@/components/session/plot-finding';
import { recordWords } from '@/components/session/record-words';
import type { TelemetryRecord } from '@/lib/wire/schema';

interface CompareSideProps {
  readonly name: string;
  readonly records: readonly TelemetryRecord[];
  /** The record at which the histories are laid over one another. */
  readonly from: number;
  /** The record at which they part. */
  readonly divergence: number;
  readonly isHot: boolean;
  readonly onAlign: (index: number) => void;
}

const BEFORE = 6;
const AFTER = 8;
/** A picture of more attempts is no help beside another. */
const STEPS_DRAWN_MAX = 20_000;

/** One history of a comparison: its picture with the place where it departs, and the records around it. */
export function CompareSide({ name, records, from, divergence, isHot, onAlign }: CompareSideProps) {
  const history = useMemo(() => readHistory(records), [records]);
  const data = useMemo(() => {
    const [part] = history.sessions;
    if (part === undefined || records.length > STEPS_DRAWN_MAX) return null;
    const stream = part.streams[0];
    const { steps } = foldSession(history, part);
    return plotOfTimeline(
      steps.filter(({ index }) => (history.streams[index] ?? stream) === stream),
      new Map(),
      history.axis,
    );
  }, [history, records.length]);
  const first = Math.max(0, divergence - BEFORE);
  const shown = records.slice(first, divergence + AFTER).map((record, offset) => ({ record, index: first + offset }));
  return (
    <section className={css['side']} aria-label={name}>
      <h2>
        {name} <span className={css['faint']}>{countOf(records.length, 'record')}</span>
      </h2>
      {data !== null && <PositionPlot data={data} height={240} finding={plotFinding(data)} playhead={history.xs[divergence] ?? null} />}
      <ol className={css['lines']}>
        {shown.map(({ record, index }) => (
          <Line
            key={index}
            record={record}
            index={index}
            x={history.axis === 'time' ? (history.xs[index] ?? null) : null}
            isAligned={index === from}
            isDivergence={isHot && index === divergence}
            onAlign={onAlign}
          />
        ))}
      </ol>
      {divergence >= records.length && <p className={css['faint']}>This history has ended.</p>}
    </section>
  );
}

interface LineProps {
  readonly record: TelemetryRecord;
  readonly index: number;
  readonly x: number | null;
  readonly isAligned: boolean;
  readonly isDivergence: boolean;
  readonly onAlign: (index: number) => void;
}

function Line({ record, index, x, isAligned, isDivergence, onAlign }: LineProps) {
  const { type, subject, detail } = recordWords(record);
  return (
    <li data-divergence={isDivergence}>
      <button type="button" title="Align the histories at this record" aria-pressed={isAligned} onClick={() => onAlign(index)}>
        <span className={css['faint']}>{formatCount(index + 1)}</span>
        <code>{type}</code>
        <span>{[subject, detail].filter((words) => words !== '').join(', ')}</span>
        {x !== null && <time>{timeOfDay(x)}</time>}
      </button>
    </li>
  );
}
