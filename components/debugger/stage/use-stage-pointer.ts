'use client';

import { type PointerEvent, type RefObject, useRef, useState } from 'react';
import { atMoment, atRecord, type DebuggerStore } from '@/components/debugger/debugger-store';
import type { Hit } from '@/components/debugger/model/hit';
import type { StageFrame } from '@/components/debugger/model/stage-frame';
import { panned, type Viewport, zoomed } from '@/components/debugger/model/viewport';
import { useStageWheel } from '@/components/debugger/stage/use-stage-wheel';
import type { Scene } from '@/components/debugger/use-scene';

/** Where the pointer rests, and on what. */
export interface Tip {
  readonly px: number;
  readonly py: number;
  readonly x: number;
  readonly hit: Hit | null;
}

interface PointerParts {
  readonly box: RefObject<HTMLDivElement | null>;
  readonly frame: StageFrame;
  readonly scene: Scene;
  readonly store: DebuggerStore;
  readonly hit: (px: number, py: number) => Hit | null;
  /** The strip of the clock, on which a drag moves the playhead. */
  readonly axisTop: number;
  readonly axisBottom: number;
}

interface Drag {
  readonly kind: 'scrub' | 'pan' | 'span';
  readonly startPx: number;
  readonly startPy: number;
  readonly view: Viewport;
  hasMoved: boolean;
}

const MOVED_PX = 4;
const PLAYHEAD_PX = 7;

/**
 * The pointer on the stage: a press selects, a drag pans (on touch, on the clock and on the playhead it scrubs; with
 * Shift it marks out what to zoom to), the wheel zooms around the pointer and, with Shift or sideways, pans.
 */
export function useStagePointer(parts: PointerParts) {
  const { box, frame, scene, store, hit, axisTop, axisBottom } = parts;
  const [tip, setTip] = useState<Tip | null>(null);
  const drag = useRef<Drag | null>(null);
  useStageWheel(box, frame, scene.history, store);

  const pointOf = (event: PointerEvent): readonly [number, number] => {
    const rect = event.currentTarget.getBoundingClientRect();
    return [event.clientX - rect.left, event.clientY - rect.top];
  };
  const scrubTo = (px: number) => {
    const x = Math.min(Math.max(frame.atPx(px), scene.history.fromX), scene.history.toX);
    store.set({ ...atMoment(x, scene.history.xs, scene.part.indices), isPlaying: false });
  };
  const dragKind = (event: PointerEvent, px: number, py: number): Drag['kind'] => {
    if (event.shiftKey) return 'span';
    const isOnAxis = py >= axisTop && py < axisBottom;
    const isOnPlayhead = Math.abs(px - frame.xOf(store.state.x)) <= PLAYHEAD_PX;
    return event.pointerType === 'touch' || isOnAxis || isOnPlayhead ? 'scrub' : 'pan';
  };

  const onPointerDown = (event: PointerEvent) => {
    if (event.button !== 0) return;
    const [px, py] = pointOf(event);
    drag.current = { kind: dragKind(event, px, py), startPx: px, startPy: py, view: store.state.view, hasMoved: false };
    event.currentTarget.setPointerCapture(event.pointerId);
    setTip(null);
  };
  const onPointerMove = (event: PointerEvent) => {
    const [px, py] = pointOf(event);
    const now = drag.current;
    if (now === null) rest(px, py);
    else move(now, px);
  };
  const rest = (px: number, py: number) => {
    const found = hit(px, py);
    store.set({ hovered: found?.index ?? null });
    setTip(px < frame.left || px > frame.right ? null : { px, py, x: frame.atPx(px), hit: found });
  };
  const move = (now: Drag, px: number) => {
    now.hasMoved ||= Math.abs(px - now.startPx) > MOVED_PX;
    if (!now.hasMoved) return;
    if (now.kind === 'scrub') {
      store.set({ isScrubbing: true });
      scrubTo(px);
    } else if (now.kind === 'pan') {
      const share = (now.startPx - px) / (frame.right - frame.left);
      store.set({ view: panned(now.view, share, scene.history) });
    } else setTip({ px, py: now.startPy, x: frame.atPx(px), hit: null });
  };
  const onPointerUp = (event: PointerEvent) => {
    const now = drag.current;
    drag.current = null;
    if (now === null) return;
    if (store.state.isScrubbing) store.set({ isScrubbing: false });
    const [px, py] = pointOf(event);
    if (!now.hasMoved) select(px, py);
    else if (now.kind === 'span') zoomTo(now.startPx, px);
  };
  const select = (px: number, py: number) => {
    const found = hit(px, py);
    if (found !== null) store.set({ ...atRecord(found.index, scene.history.xs), isPlaying: false });
    else if (px >= frame.left && px <= frame.right) scrubTo(px);
  };
  const zoomTo = (a: number, b: number) => {
    const [from, to] = [frame.atPx(Math.min(a, b)), frame.atPx(Math.max(a, b))];
    const middle = (from + to) / 2;
    const view = store.state.view;
    const closer = zoomed(view, (to - from) / (view.toX - view.fromX), middle, scene.history);
    const shift = (middle - (closer.fromX + closer.toX) / 2) / (closer.toX - closer.fromX);
    store.set({ view: panned(closer, shift, scene.history) });
  };
  const onPointerLeave = () => {
    setTip(null);
    store.set({ hovered: null });
  };
  const onPointerCancel = () => {
    drag.current = null;
    store.set({ isScrubbing: false });
  };
  return { tip, handlers: { onPointerDown, onPointerMove, onPointerUp, onPointerLeave, onPointerCancel } };
}
