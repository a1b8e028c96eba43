'use client';

import { useEffect } from 'react';
import { type DebuggerStore, useDebuggerState } from '@/components/debugger/debugger-store';
import type { Deeds } from '@/components/debugger/deeds';

/** A pause of the browser (another tab, a long task) is not watched time. */
const FRAME_MS_MAX = 100;

/** Moves the playhead with the clock of the screen while it plays. */
export function usePlayback(store: DebuggerStore, deeds: Deeds): void {
  const isPlaying = useDebuggerState(store, (state) => state.isPlaying);
  useEffect(() => {
    if (!isPlaying) return;
    let last: number | null = null;
    let frame = requestAnimationFrame(function onFrame(now) {
      const watched = last === null ? 0 : Math.min(FRAME_MS_MAX, now - last);
      last = now;
      if (deeds.advance(watched)) frame = requestAnimationFrame(onFrame);
    });
    return () => cancelAnimationFrame(frame);
  }, [isPlaying, deeds]);
}
