'use client';

import { type MouseEvent, useMemo } from 'react';
import { useWidth } from '@/components/chart/use-width';
import { atRecord, type DebuggerStore, useDebuggerState } from '@/components/debugger/debugger-store';
import { countUpTo, placeIn, spanOfPart } from '@/components/debugger/model/history';
import type { Viewport } from '@/components/debugger/model/viewport';
import type { Brush } from '@/components/debugger/stage/brush';
import { GUTTER, PHONE_GUTTER } from '@/components/debugger/stage/gutters';
import css from '@/components/debugger/stage/minimap.module.css';
import { useDrawing } from '@/components/debugger/stage/use-drawing';
import { useInk } from '@/components/debugger/stage/use-ink';
import type { Scene } from '@/components/debugger/use-scene';
import { countOf, formatCount } from '@/components/format/count';
import { shortText } from '@/components/format/short-text';

const ROW_PX = 20;
const ROWS_SEEN_MAX = 6;
/** Rows that are drawn; more are reached by their name. */
const ROWS_MAX = 300;

/** Room that the rows of so many sessions take; more of them scroll. */
export const rowsHeight = (sessions: number): number => Math.min(ROWS_SEEN_MAX, sessions) * ROW_PX;

/** Every session of the history on the clock of the stage, one row each, with its attempts. A press looks at that session. */
export function SessionRows({ scene, store }: { readonly scene: Scene; readonly store: DebuggerStore }) {
  const [ref, width] = useWidth();
  const ink = useInk();
  const view = useDebuggerState(store, (state) => state.view);
  const { history } = scene;
  const rows = useMemo(() => history.sessions.slice(0, ROWS_MAX), [history]);
  const gutter = width < 560 ? PHONE_GUTTER : GUTTER;
  const current = rows.indexOf(scene.part);
  const marksOf = useMemo(() => attemptsBySession(scene), [scene]);
  const height = rows.length * ROW_PX;
  const draw = useMemo(() => {
    if (width === 0) return null;
    const right = width - gutter.right;
    const xOf = (x: number) => gutter.left + ((x - view.fromX) / (view.toX - view.fromX)) * (right - gutter.left);
    return (brush: Brush) => {
      for (const [place, part] of rows.entries()) {
        const y = place * ROW_PX;
        drawRow(
          brush,
          { y, left: gutter.left, right, xOf, view, isCurrent: place === current, name: shortText(part.key, 10) },
          spanOfPart(history, part),
        );
        for (const { x, mark } of marksOf[place] ?? []) {
          if (x >= view.fromX && x <= view.toX) brush.mark(mark, xOf(x), y + ROW_PX / 2, 9);
        }
      }
    };
  }, [width, gutter, view, rows, history, current, marksOf]);
  // For the keyboard, the list of sessions above the plot does the same.
  const words = `${countOf(history.sessions.length, 'session')} on one clock`;
  const canvas = useDrawing(width, height, ink, draw);
  const onClick = (event: MouseEvent) => {
    const rect = event.currentTarget.getBoundingClientRect();
    const place = Math.floor((event.clientY - rect.top) / ROW_PX);
    const part = rows[place];
    if (part === undefined) return;
    const share = (event.clientX - rect.left - gutter.left) / (width - gutter.left - gutter.right);
    const x = view.fromX + share * (view.toX - view.fromX);
    const upTo = placeIn(part, Math.max(0, countUpTo(history.xs, x) - 1));
    const index = part.indices[Math.max(0, upTo)] ?? part.first;
    store.set({ session: place, stream: place === current ? store.state.stream : null, ...atRecord(index, history.xs), isPlaying: false });
  };
  return (
    <div ref={ref} className={css['rows']} style={{ maxHeight: ROWS_SEEN_MAX * ROW_PX }}>
      <button type="button" className={css['row']} style={{ height }} tabIndex={-1} onClick={onClick} aria-label={words}>
        <canvas ref={canvas} style={{ width, height }} />
      </button>
      {history.sessions.length > ROWS_MAX && <p className={css['words']}>and {formatCount(history.sessions.length - ROWS_MAX)} more</p>}
    </div>
  );
}

interface RowLook {
  readonly y: number;
  readonly left: number;
  readonly right: number;
  readonly xOf: (x: number) => number;
  readonly view: Viewport;
  readonly isCurrent: boolean;
  readonly name: string;
}

function drawRow(brush: Brush, { y, left, right, xOf, isCurrent, name }: RowLook, span: Viewport): void {
  const { ink, ctx } = brush;
  brush.line(0, y + 0.5, right + 56, y + 0.5, ink.line);
  if (isCurrent) {
    ctx.fillStyle = ink.lane;
    ctx.fillRect(0, y + 1, right + 56, ROW_PX - 1);
  }
  brush.words(name, 0, y + 14, { colour: isCurrent ? ink.strong : ink.faint, isMono: true, size: 10.5 });
  const [from, to] = [Math.max(left, xOf(span.fromX)), Math.min(right, xOf(span.toX))];
  if (to > from) brush.line(from, y + ROW_PX / 2, to, y + ROW_PX / 2, isCurrent ? ink.text : ink.edge, 3);
}

/** The attempts of each row, with their moments. */
function attemptsBySession({ history, attempts }: Scene) {
  const rowOf = new Map<number, number>();
  for (const [row, part] of history.sessions.slice(0, ROWS_MAX).entries()) for (const index of part.indices) rowOf.set(index, row);
  const rows: { readonly x: number; readonly mark: Scene['attempts'][number]['mark'] }[][] = [];
  for (const { index, mark } of attempts) {
    const row = rowOf.get(index);
    if (row === undefined) continue;
    rows[row] ??= [];
    rows[row].push({ x: history.xs[index] ?? 0, mark });
  }
  return rows;
}
