'use client';

import { useId, useMemo } from 'react';
import { useWidth } from '@/components/chart/use-width';
import { zoneName } from '@/components/format/zone';
import { AttemptMark } from '@/components/plot/attempt-mark';
import type { ClientPoint, PlotAttempt, PlotData } from '@/components/plot/plot-data';
import { type PlotFrame, plotFrame } from '@/components/plot/plot-frame';
import { hatchIds, PlotHatches } from '@/components/plot/plot-hatches';
import { clientPaths } from '@/components/plot/plot-paths';
import css from '@/components/plot/position-plot.module.css';
import { StretchView } from '@/components/plot/stretch-view';
import { MARK_STYLE } from '@/components/verdict-mark/mark-style';

/** Nearer than this, labels would cover one another: then only the selected attempt has one. Pixels. */
const LABEL_PX = 170;
const LOWEST_PX = 140;

interface PositionPlotProps {
  readonly data: PlotData;
  readonly height: number;
  /** What the plot shows, in one sentence, for those who do not see it. */
  readonly finding: string;
  readonly selected?: string | null;
  /** Where the reader stands, in x; the plot marks it when no attempt is selected there. */
  readonly playhead?: number | null;
  readonly onSelect?: (key: string) => void;
  /** The small form: no gutter for labels, nothing to press. */
  readonly isMini?: boolean;
}

/**
 * The picture of this domain: position against time (or order), with floor and head as lines, the retained band
 * between them, generations as stretches, attempts as marks at their cursor, what was missing hatched.
 */
export function PositionPlot({
  data,
  height: wanted,
  finding,
  selected = null,
  playhead = null,
  onSelect,
  isMini = false,
}: PositionPlotProps) {
  const [ref, width] = useWidth();
  // On a narrow screen a tall plot would be a tower: its height follows its width.
  const height = width === 0 ? wanted : Math.min(wanted, Math.max(LOWEST_PX, Math.round(width * 0.95)));
  const hatches = hatchIds(useId());
  const frame = useMemo(() => plotFrame(data, width, height, isMini), [data, width, height, isMini]);
  const hasRoom = useMemo(() => frame !== null && areApart(data.attempts, frame), [data.attempts, frame]);
  const inOrder = useMemo(() => selectedLast(data.attempts, selected), [data.attempts, selected]);
  return (
    <div ref={ref} className={css['plot']} style={{ minHeight: height }}>
      {frame === null && width > 0 && (
        <p className={css['none']}>No record of this stream tells a position, so there is nothing to draw.</p>
      )}
      {frame !== null && (
        <>
          <svg width={width} height={height} role="img" aria-label={finding} data-testid={isMini ? undefined : 'position-plot'}>
            <title>{finding}</title>
            <PlotHatches ids={hatches} />
            <Axes data={data} frame={frame} isMini={isMini} />
            {data.stretches.map((stretch, index) => (
              <StretchView
                key={`${stretch.generation}-${stretch.fromX}`}
                stretch={stretch}
                frame={frame}
                holeHatch={hatches.hole}
                isNewest={index === data.stretches.length - 1}
                isFirst={index === 0}
                isMini={isMini}
              />
            ))}
            <Clients data={data} frame={frame} />
            {selected === null && playhead !== null && (
              <path d={`M${frame.xOf(playhead)} ${frame.top}V${frame.bottom}`} stroke="var(--p-playhead)" opacity={0.55} />
            )}
            {inOrder.map((attempt) => (
              <AttemptMark
                key={attempt.key}
                attempt={attempt}
                frame={frame}
                hatches={hatches}
                isSelected={attempt.key === selected && !isMini}
                hasLabel={hasRoom || attempt.key === selected}
              />
            ))}
            {!isMini && <Ends data={data} frame={frame} />}
          </svg>
          {onSelect !== undefined && <Targets data={data} frame={frame} selected={selected} onSelect={onSelect} />}
        </>
      )}
    </div>
  );
}

function areApart(attempts: readonly PlotAttempt[], frame: PlotFrame): boolean {
  return attempts.every((attempt, index) => {
    const next = attempts[index + 1];
    return next === undefined || frame.xOf(next.x) - frame.xOf(attempt.x) >= LABEL_PX;
  });
}

function selectedLast(attempts: readonly PlotAttempt[], selected: string | null): PlotAttempt[] {
  return [...attempts].sort((a, b) => Number(a.key === selected) - Number(b.key === selected));
}

function Axes({ data, frame, isMini }: { readonly data: PlotData; readonly frame: PlotFrame; readonly isMini: boolean }) {
  const { left, right, bottom, xTicks, yTicks } = frame;
  return (
    <>
      {yTicks.map((tick) => (
        <g key={`${tick.fromPx} ${tick.words}`}>
          <line className={css['grid']} x1={tick.fromPx} x2={tick.toPx} y1={tick.at} y2={tick.at} />
          <text
            className={css['tick']}
            x={tick.isFirst ? left - 6 : tick.fromPx + 5}
            y={tick.isFirst ? tick.at + 3.5 : tick.at - 3}
            textAnchor={tick.isFirst ? 'end' : 'start'}
          >
            {tick.words}
          </text>
        </g>
      ))}
      {xTicks.map((tick) => (
        <text key={tick.value} className={css['tick']} x={tick.at} y={bottom + 17} textAnchor="middle">
          {tick.words}
        </text>
      ))}
      <line className={css['axis']} x1={left} x2={right} y1={bottom} y2={bottom} />
      {!isMini && (
        <>
          <text className={css['tick']} x={right + 8} y={bottom + 17}>
            {data.axis === 'time' ? zoneName(data.toX) : 'record'}
          </text>
          <text className={css['tick']} x={left - 6} y={12} textAnchor="end">
            pos.
          </text>
        </>
      )}
    </>
  );
}

function Clients({ data, frame }: { readonly data: PlotData; readonly frame: PlotFrame }) {
  return data.clients.map((line) => {
    const { attached, away } = clientPaths(line, frame.xOf, frame.scaleAt(line[0]?.x ?? 0));
    return (
      <g key={line[0]?.x} fill="none" stroke="var(--p-client)" strokeWidth={1.4}>
        <path d={attached} opacity={0.7} strokeDasharray="1.5 2" />
        <path d={away} strokeDasharray="4 3" />
        <AwayLabel line={line} frame={frame} />
      </g>
    );
  });
}

/** What the client has while it is away, at the longest such stretch. */
function AwayLabel({ line, frame }: { readonly line: readonly ClientPoint[]; readonly frame: PlotFrame }) {
  let longest: { readonly x: number; readonly width: number; readonly position: bigint } | null = null;
  for (let index = 1; index < line.length; index++) {
    const [from, to] = [line[index - 1], line[index]];
    if (from === undefined || to === undefined || !from.isAway) continue;
    const x = frame.xOf(from.x);
    const width = frame.xOf(to.x) - x;
    if (width > (longest?.width ?? 90)) longest = { x, width, position: from.position };
  }
  if (longest === null) return null;
  return (
    <text x={longest.x + 6} y={frame.scaleAt(line[0]?.x ?? 0)(longest.position) + 14} className={css['halo']}>
      client has {String(longest.position)}
    </text>
  );
}

/** Head and floor at the right end, by name and number. */
function Ends({ data, frame }: { readonly data: PlotData; readonly frame: PlotFrame }) {
  const last = data.stretches.at(-1)?.log.at(-1);
  if (last === undefined) return null;
  const yOf = frame.scaleAt(data.toX);
  const head = last.head === null ? null : yOf(last.head);
  const floor = last.floor === null ? null : yOf(last.floor);
  const apart = head !== null && floor !== null && floor - head < 30 ? 15 : 0;
  return (
    <>
      {head !== null && <End x={frame.right + 8} y={head - apart} name="head" value={last.head} />}
      {floor !== null && <End x={frame.right + 8} y={floor + apart} name="floor" value={last.floor} />}
    </>
  );
}

function End({ x, y, name, value }: { readonly x: number; readonly y: number; readonly name: string; readonly value: bigint | null }) {
  const text = String(value);
  return (
    <>
      <text className={css['strong']} x={x} y={y}>
        {name}
      </text>
      <text className={css['tick']} x={x} y={y + 12}>
        {text.length > 8 ? `${text.slice(0, 2)}…${text.slice(-4)}` : text}
      </text>
    </>
  );
}

interface TargetsProps {
  readonly data: PlotData;
  readonly frame: PlotFrame;
  readonly selected: string | null;
  readonly onSelect: (key: string) => void;
}

/** What one presses: a button over each mark, in the order of time. */
function Targets({ data, frame, selected, onSelect }: TargetsProps) {
  return data.attempts.map((attempt, index) =>
    attempt.cursor === null ? null : (
      <button
        key={attempt.key}
        type="button"
        className={css['target']}
        style={{ left: frame.xOf(attempt.x), top: frame.scaleAt(attempt.x)(attempt.cursor) }}
        aria-label={`Attempt ${index + 1}, ${MARK_STYLE[attempt.mark].word}, cursor ${attempt.cursor}`}
        aria-pressed={attempt.key === selected}
        onClick={() => onSelect(attempt.key)}
      />
    ),
  );
}
