'use client';

import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef } from 'react';
import type { DebuggerStore } from '@/components/debugger/debugger-store';
import { type FilterLine, lineAt } from '@/components/debugger/model/record-filter';
import css from '@/components/debugger/panes/twin-table.module.css';
import type { Scene } from '@/components/debugger/use-scene';
import { useSteadyIndex } from '@/components/debugger/use-steady-index';
import { rangeOf } from '@/components/format/count';
import { timeOfDay } from '@/components/format/instant';
import { Scroller } from '@/components/ui/scroller';
import { MARK_STYLE } from '@/components/verdict-mark/mark-style';

interface TwinTableProps {
  readonly scene: Scene;
  readonly lines: readonly FilterLine[];
  readonly store: DebuggerStore;
  readonly onSelect: (index: number) => void;
}

const ROW_PX = 28;
const HEADS = ['record', 'time', 'type', 'what', 'verdict', 'generation', 'floor', 'head', 'holes', 'cursors'] as const;

/** The picture as a table: every record with the state of its stream after it, for the keyboard and for screen readers. */
export function TwinTable({ scene, lines, store, onSelect }: TwinTableProps) {
  const index = useSteadyIndex(store);
  const scroll = useRef<HTMLDivElement>(null);
  const current = lineAt(lines, index);
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroll.current,
    estimateSize: () => ROW_PX,
    overscan: 12,
    useFlushSync: false,
    initialRect: { width: 0, height: 600 },
  });
  useEffect(() => {
    if (current >= 0) virtual.scrollToIndex(current, { align: 'auto' });
  }, [current, virtual]);
  const rows = virtual.getVirtualItems();
  const [first, last] = [rows[0], rows.at(-1)];
  return (
    <div className={css['scroll']} ref={scroll}>
      <Scroller label="Records, table" className={css['inner']}>
        <table aria-rowcount={lines.length} aria-label="Records with the state after each">
          <thead>
            <tr>
              {HEADS.map((head) => (
                <th key={head} scope="col">
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {first !== undefined && first.start > 0 && <tr style={{ height: first.start }} />}
            {rows.map((row) => {
              const line = lines[row.index];
              return line === undefined ? null : (
                <Row key={row.key} scene={scene} line={line} isCurrent={row.index === current} place={row.index} onSelect={onSelect} />
              );
            })}
            {last !== undefined && <tr style={{ height: virtual.getTotalSize() - last.end }} />}
          </tbody>
        </table>
      </Scroller>
    </div>
  );
}

interface RowProps {
  readonly scene: Scene;
  readonly line: FilterLine;
  readonly isCurrent: boolean;
  readonly place: number;
  readonly onSelect: (index: number) => void;
}

function Row({ scene, line, isCurrent, place, onSelect }: RowProps) {
  const { entry, mark } = line;
  const { state } = line.step;
  const told = (value: unknown) => (value === null ? '' : String(value));
  const holes = state.holes.slice(0, 2).map(([from, to]) => rangeOf(from, to));
  const cursors = Object.entries(state.cursors).slice(0, 3);
  return (
    <tr aria-current={isCurrent} aria-rowindex={place + 1}>
      <th scope="row">
        <button type="button" onClick={() => onSelect(entry.last)}>
          {rangeOf(entry.first + 1, entry.last + 1)}
        </button>
      </th>
      <td>{scene.history.axis === 'time' ? timeOfDay(scene.history.xs[entry.first] ?? 0) : ''}</td>
      <td>
        <code>{entry.words.type}</code>
      </td>
      <td className={css['what']}>{[entry.words.subject, entry.words.detail].filter((words) => words !== '').join(', ')}</td>
      <td>{mark === null ? '' : MARK_STYLE[mark].word}</td>
      <td>{told(state.generation)}</td>
      <td>{told(state.floor)}</td>
      <td>{told(state.head)}</td>
      <td>{`${holes.join(', ')}${state.holes.length > 2 ? ` and ${state.holes.length - 2} more` : ''}`}</td>
      <td>{cursors.map(([conn, position]) => `${conn} ${position}`).join(', ')}</td>
    </tr>
  );
}
