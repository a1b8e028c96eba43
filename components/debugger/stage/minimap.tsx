'use client';

import { type PointerEvent, useMemo, useRef } from 'react';
import { useWidth } from '@/components/chart/use-width';
import { atMoment, atRecord, type DebuggerStore, useDebuggerState } from '@/components/debugger/debugger-store';
import { placeIn } from '@/components/debugger/model/history';
import { durationText } from '@/components/debugger/model/span-words';
import { isWhole, panned, wholeOf } from '@/components/debugger/model/viewport';
import type { Brush } from '@/components/debugger/stage/brush';
import { densityOf, drawMinimap } from '@/components/debugger/stage/draw-minimap';
import { GUTTER, PHONE_GUTTER } from '@/components/debugger/stage/gutters';
import css from '@/components/debugger/stage/minimap.module.css';
import { useDrawing } from '@/components/debugger/stage/use-drawing';
import { useInk } from '@/components/debugger/stage/use-ink';
import type { Scene } from '@/components/debugger/use-scene';
import { countOf } from '@/components/format/count';

const HEIGHT = 54;
const MARK_REACH_PX = 6;
const MOVED_PX = 3;

/** The whole incident in one line; the box is what the stage shows. A press moves there, a drag moves the box. */
export function Minimap({ scene, store }: { readonly scene: Scene; readonly store: DebuggerStore }) {
  const [ref, width] = useWidth();
  const ink = useInk();
  const view = useDebuggerState(store, (state) => state.view);
  const { history, attempts } = scene;
  const whole = useMemo(() => wholeOf(history), [history]);
  const gutter = width < 560 ? PHONE_GUTTER : GUTTER;
  const right = width - gutter.right;
  const draw = useMemo(() => {
    if (width === 0) return null;
    const box = { left: gutter.left, right, height: HEIGHT };
    const density = densityOf(history, whole, right - gutter.left);
    const placed = attempts.map((attempt) => ({ ...attempt, x: history.xs[attempt.index] ?? 0 }));
    return (brush: Brush) => drawMinimap(brush, box, whole, density, placed);
  }, [width, gutter, right, history, whole, attempts]);
  const canvas = useDrawing(width, HEIGHT, ink, draw);
  const perPx = (whole.toX - whole.fromX) / Math.max(1, right - gutter.left);
  const pxOf = (x: number) => gutter.left + (x - whole.fromX) / perPx;
  const drag = useRef<{ readonly startPx: number; readonly from: typeof view; hasMoved: boolean } | null>(null);

  const pxIn = (event: PointerEvent) => event.clientX - event.currentTarget.getBoundingClientRect().left;
  const onPointerDown = (event: PointerEvent) => {
    drag.current = { startPx: pxIn(event), from: view, hasMoved: false };
    event.currentTarget.setPointerCapture(event.pointerId);
  };
  const onPointerMove = (event: PointerEvent) => {
    const now = drag.current;
    if (now === null) return;
    const by = pxIn(event) - now.startPx;
    now.hasMoved ||= Math.abs(by) > MOVED_PX;
    if (now.hasMoved) store.set({ view: panned(now.from, (by * perPx) / (now.from.toX - now.from.fromX), history) });
  };
  const onPointerUp = (event: PointerEvent) => {
    const now = drag.current;
    drag.current = null;
    if (now !== null && !now.hasMoved) moveTo(whole.fromX + (pxIn(event) - gutter.left) * perPx);
  };
  const moveTo = (x: number) => {
    const shift = (x - (view.fromX + view.toX) / 2) / (view.toX - view.fromX);
    const near = attempts.find(({ index }) => Math.abs((history.xs[index] ?? 0) - x) <= MARK_REACH_PX * perPx);
    const session = near === undefined ? -1 : history.sessions.findIndex((part) => part.indices[placeIn(part, near.index)] === near.index);
    store.set({
      view: panned(view, shift, history),
      isPlaying: false,
      ...(near === undefined || session < 0
        ? atMoment(x, history.xs, scene.part.indices)
        : { ...atRecord(near.index, history.xs), session, stream: session === store.state.session ? store.state.stream : null }),
    });
  };
  return (
    <div ref={ref} className={css['minimap']}>
      <div
        className={css['box']}
        style={{ height: HEIGHT }}
        onPointerDown={onPointerDown}
        onPointerMove={onPointerMove}
        onPointerUp={onPointerUp}
      >
        <canvas
          ref={canvas}
          style={{ width, height: HEIGHT }}
          role="img"
          aria-label={`The whole incident: ${countOf(history.records.length, 'record')} of ${countOf(history.sessions.length, 'session')}, ${countOf(attempts.length, 'attempt')}`}
        />
        <p className={css['words']}>
          {countOf(history.sessions.length, 'session')}
          <br />
          {durationText(history.toX - history.fromX, history.axis)}
        </p>
        {!isWhole(view, history) && (
          <div className={css['seen']} style={{ left: pxOf(view.fromX), width: Math.max(6, (view.toX - view.fromX) / perPx) }} />
        )}
        <MinimapPlayhead store={store} pxOf={pxOf} />
      </div>
    </div>
  );
}

function MinimapPlayhead({ store, pxOf }: { readonly store: DebuggerStore; readonly pxOf: (x: number) => number }) {
  const x = useDebuggerState(store, (state) => state.x);
  return <div className={css['playhead']} style={{ transform: `translateX(${Math.round(pxOf(x))}px)` }} />;
}
