'use client';

import { useEffect, useState } from 'react';
import type { DebuggerStore } from '@/components/debugger/debugger-store';

/** As often as words can be read while the playhead moves; the playhead itself moves with every frame. */
const STEADY_MS = 90;

/**
 * The record under the playhead: told at once where it was moved there, and a few times a second while it is dragged
 * or plays, since what has to be laid out anew must not hold up the picture.
 */
export function useSteadyIndex(store: DebuggerStore): number {
  const [index, setIndex] = useState(store.state.index);
  useEffect(() => {
    let toldAt = Number.NEGATIVE_INFINITY;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const tell = () => {
      timer = undefined;
      toldAt = performance.now();
      setIndex(store.state.index);
    };
    const stop = store.subscribe(() => {
      const { isPlaying, isScrubbing } = store.state;
      const rest = isPlaying || isScrubbing ? STEADY_MS - (performance.now() - toldAt) : 0;
      if (rest <= 0) {
        clearTimeout(timer);
        tell();
      } else timer ??= setTimeout(tell, rest);
    });
    tell();
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [store]);
  return index;
}
