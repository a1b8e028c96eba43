import { useId } from 'react';
import type { Step } from '@/components/api/timeline';
import { parsePosition } from '@/lib/base/position';
import { toRanges } from '@/lib/wire/to-ranges';

const WIDTH = 320;

interface RetainedBarProps {
  readonly state: Step['state'];
  readonly cursor: bigint | null;
}

/** What is retained in one line: floor to head, holes hatched, a tick at the cursor. */
export function RetainedBar({ state, cursor }: RetainedBarProps) {
  const hatch = useId();
  const [floor, head] = [parsePosition(state.floor), parsePosition(state.head)];
  if (floor === null || head === null || floor > head) return null;
  const low = cursor !== null && cursor < floor ? cursor : floor;
  const span = Number(head - low) + 1;
  const x = (position: bigint) => (Number(position - low) / span) * WIDTH;
  const end = (position: bigint) => (Number(position - low + 1n) / span) * WIDTH;
  const holes = toRanges(state.holes);
  const label = `Retained ${floor} to ${head}${holes.length > 0 ? `, without ${holes.length} ${holes.length === 1 ? 'range' : 'ranges'}` : ''}`;
  return (
    <svg viewBox={`0 0 ${WIDTH} 34`} role="img" aria-label={label} style={{ width: '100%', maxWidth: 420 }}>
      <title>{label}</title>
      <defs>
        <pattern id={hatch} width={4} height={4} patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <rect width={4} height={4} fill="var(--v-unsafe-soft)" />
          <line x1={0} y1={0} x2={0} y2={4} stroke="var(--v-unsafe)" strokeWidth={2.4} />
        </pattern>
      </defs>
      <rect x={x(floor)} y={4} width={end(head) - x(floor)} height={10} fill="var(--v-safe)" opacity={0.5} />
      {holes.map((hole) => (
        <rect
          key={String(hole.first)}
          x={x(hole.first)}
          y={4}
          width={Math.max(2, end(hole.last) - x(hole.first))}
          height={10}
          fill={`url(#${hatch})`}
        />
      ))}
      {cursor !== null && cursor <= head && <path d={`M${end(cursor)} 1v16`} stroke="var(--text-1)" strokeWidth={2} />}
      <g fontSize={11} fill="var(--text-3)" fontFamily="var(--font-mono)">
        <text x={0} y={30}>
          {String(low)}
        </text>
        <text x={WIDTH} y={30} textAnchor="end">
          {String(head)}
        </text>
      </g>
    </svg>
  );
}
