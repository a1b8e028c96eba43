'use client';

import { type PointerEvent, useCallback, useMemo, useState } from 'react';

export interface ZoomArea {
  /** Edges of the time axis inside the element that is dragged over, and what they mean; pixels and epoch milliseconds. */
  readonly left: number;
  readonly right: number;
  readonly fromMs: number;
  readonly toMs: number;
  /** Instants are taken to whole steps, so that no bar is cut. */
  readonly stepMs: number;
}

export interface DragZoom {
  /** What has been dragged over so far, in pixels; null while nothing is. */
  readonly dragged: { readonly left: number; readonly width: number } | null;
  readonly handlers: {
    readonly onPointerDown: (event: PointerEvent<HTMLElement>) => void;
    readonly onPointerMove: (event: PointerEvent<HTMLElement>) => void;
    readonly onPointerUp: (event: PointerEvent<HTMLElement>) => void;
    readonly onPointerCancel: () => void;
  };
}

/** Shorter drags are presses. Pixels. */
const LEAST_PX = 6;

/** Dragging over a time axis asks for the stretch that was dragged over; a touch scrolls the page instead. */
export function useDragZoom(area: ZoomArea, onZoom: (fromMs: number, toMs: number) => void): DragZoom {
  const [drag, setDrag] = useState<{ readonly from: number; readonly to: number } | null>(null);
  const clamp = useCallback((x: number) => Math.min(area.right, Math.max(area.left, x)), [area]);
  const handlers = useMemo(
    () => ({
      onPointerDown: (event: PointerEvent<HTMLElement>) => {
        const x = xIn(event);
        if (event.button !== 0 || event.pointerType === 'touch' || x < area.left || x > area.right) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        setDrag({ from: x, to: x });
      },
      onPointerMove: (event: PointerEvent<HTMLElement>) => {
        const x = clamp(xIn(event));
        setDrag((now) => (now === null ? null : { from: now.from, to: x }));
      },
      onPointerUp: (event: PointerEvent<HTMLElement>) => {
        const to = clamp(xIn(event));
        if (drag !== null && Math.abs(to - drag.from) >= LEAST_PX) {
          const stretch = stretchOf(area, Math.min(drag.from, to), Math.max(drag.from, to));
          onZoom(stretch.fromMs, stretch.toMs);
        }
        setDrag(null);
      },
      onPointerCancel: () => setDrag(null),
    }),
    [area, clamp, drag, onZoom],
  );
  const dragged = drag === null ? null : { left: Math.min(drag.from, drag.to), width: Math.abs(drag.to - drag.from) };
  return { dragged: dragged !== null && dragged.width >= LEAST_PX ? dragged : null, handlers };
}

/** The whole steps that lie under a stretch of the axis, at least one. */
export function stretchOf(
  { left, right, fromMs, toMs, stepMs }: ZoomArea,
  x0: number,
  x1: number,
): { readonly fromMs: number; readonly toMs: number } {
  const atMs = (x: number) => fromMs + ((x - left) / Math.max(1, right - left)) * (toMs - fromMs);
  const first = fromMs + Math.floor((atMs(x0) - fromMs) / stepMs) * stepMs;
  const last = fromMs + Math.ceil((atMs(x1) - fromMs) / stepMs) * stepMs;
  return { fromMs: first, toMs: Math.max(first + stepMs, Math.min(last, toMs)) };
}

const xIn = (event: PointerEvent<HTMLElement>) => event.clientX - event.currentTarget.getBoundingClientRect().left;
