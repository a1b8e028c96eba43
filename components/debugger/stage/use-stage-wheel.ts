'use client';

import { type RefObject, useEffect } from 'react';
import type { DebuggerStore } from '@/components/debugger/debugger-store';
import type { StageFrame } from '@/components/debugger/model/stage-frame';
import { isWhole, panned, type Viewport, zoomed } from '@/components/debugger/model/viewport';

const ZOOM_PER_WHEEL_PX = 1.0018;

/** The wheel zooms around the pointer; sideways or with Shift it pans. Zoomed out whole, it is the page's again. */
export function useStageWheel(box: RefObject<HTMLElement | null>, frame: StageFrame, whole: Viewport, store: DebuggerStore): void {
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const onWheel = (event: WheelEvent) => {
      const { view } = store.state;
      const by = sidewaysOf(event);
      if (isWhole(view, whole) && (by !== null || event.deltaY > 0)) return;
      event.preventDefault();
      const px = event.clientX - element.getBoundingClientRect().left;
      const next =
        by === null
          ? zoomed(view, ZOOM_PER_WHEEL_PX ** event.deltaY, frame.atPx(px), whole)
          : panned(view, by / (frame.right - frame.left), whole);
      store.set({ view: next });
    };
    // React's own wheel handlers are passive: they could not keep the page from scrolling.
    element.addEventListener('wheel', onWheel, { passive: false });
    return () => element.removeEventListener('wheel', onWheel);
  }, [box, frame, whole, store]);
}

function sidewaysOf({ shiftKey, deltaX, deltaY }: WheelEvent): number | null {
  if (shiftKey) return deltaX || deltaY;
  return Math.abs(deltaX) > Math.abs(deltaY) ? deltaX : null;
}
