import { formatCount } from '@/components/format/count';
import type { PlotAttempt } from '@/components/plot/plot-data';
import type { PlotFrame } from '@/components/plot/plot-frame';
import type { HatchIds } from '@/components/plot/plot-hatches';
import css from '@/components/plot/position-plot.module.css';
import { MarkShape } from '@/components/verdict-mark/mark-shape';
import { markColour, markTextColour } from '@/components/verdict-mark/mark-style';

interface AttemptMarkProps {
  readonly attempt: PlotAttempt;
  readonly frame: PlotFrame;
  readonly hatches: HatchIds;
  readonly isSelected: boolean;
  readonly hasLabel: boolean;
}

/** An attempt in the plot: its mark at (time, cursor), what was replayed as a vertical, what was missing hatched with its count. */
export function AttemptMark({ attempt, frame, hatches, isSelected, hasLabel }: AttemptMarkProps) {
  const { cursor, mark, replay, gaps } = attempt;
  if (cursor === null) return null;
  const { xOf } = frame;
  const yOf = frame.scaleAt(attempt.x);
  const [x, y] = [xOf(attempt.x), yOf(cursor)];
  const isUnsafe = mark === 'unsafe_resume' || mark === 'bad_replay';
  // Replayed events of another history are no success: they are drawn broken, in the colour of the fault.
  const isForeign = isUnsafe && gaps.length === 0;
  const size = isSelected ? 11 : 9;
  return (
    <g>
      {isSelected && <path d={`M${x} ${frame.top}V${frame.bottom}`} stroke="var(--p-playhead)" strokeWidth={1} opacity={0.55} />}
      {replay !== null && (
        <path
          d={`M${x} ${yOf(replay.first)}V${yOf(replay.last)}`}
          stroke={markColour(isForeign ? mark : 'resumed')}
          strokeWidth={2.5}
          strokeDasharray={isForeign ? '2 1.6' : undefined}
        />
      )}
      {gaps.slice(0, 200).map((gap) => {
        const [top, bottom] = [yOf(gap.last) - 2, yOf(gap.first) + 2];
        return (
          <rect
            key={String(gap.first)}
            x={x - 5}
            y={top}
            width={10}
            height={Math.max(3, bottom - top)}
            fill={`url(#${isUnsafe ? hatches.unsafe : hatches.refused})`}
            stroke={markColour(isUnsafe ? 'unsafe_resume' : 'refused')}
          />
        );
      })}
      {mark === 'over_refusal' && <path d={`M${x} ${y}V${frame.top}`} stroke={markColour(mark)} strokeDasharray="1.5 2.5" />}
      <circle cx={x} cy={y} r={size - 1} fill="var(--bg-1)" stroke={markColour(mark)} strokeWidth={isSelected ? 2 : 1} />
      <svg x={x - size / 2} y={y - size / 2} width={size} height={size} viewBox="0 0 12 12" color={markColour(mark)} aria-hidden="true">
        <MarkShape mark={mark} />
      </svg>
      {hasLabel && <AttemptLabel attempt={attempt} frame={frame} x={x} />}
    </g>
  );
}

function AttemptLabel({ attempt, frame, x }: { readonly attempt: PlotAttempt; readonly frame: PlotFrame; readonly x: number }) {
  const { gaps, gapCount, replay, mark } = attempt;
  const isLate = x > frame.left + (frame.right - frame.left) * 0.62;
  const side = { x: isLate ? x - 12 : x + 12, textAnchor: isLate ? 'end' : 'start' } as const;
  const yOf = frame.scaleAt(attempt.x);
  const middle = (first: bigint, last: bigint) => (yOf(first) + yOf(last)) / 2 + 4;
  const [gap] = gaps;
  const isForeign = mark === 'unsafe_resume' && gaps.length === 0;
  return (
    <>
      {gap !== undefined && gapCount !== null && (
        <text {...side} y={middle(gap.first, gap.last)} className={css['halo']} style={{ fill: markTextColour(mark), fontWeight: 500 }}>
          {formatCount(gapCount)} {mark === 'unsafe_resume' ? 'never sent' : 'missing'}
        </text>
      )}
      {replay !== null && (
        <text
          {...side}
          y={middle(replay.first, replay.last)}
          className={css['halo']}
          style={{ fill: markTextColour(isForeign ? mark : 'resumed'), fontWeight: 500 }}
        >
          {formatCount(replay.last - replay.first + 1n)} {isForeign ? 'of another history' : 'replayed'}
        </text>
      )}
    </>
  );
}
