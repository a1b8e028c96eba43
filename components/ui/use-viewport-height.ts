'use client';

import { useSyncExternalStore } from 'react';

const AS_RENDERED_PX = 900;

/** Height of the window in pixels. */
export function useViewportHeight(): number {
  return useSyncExternalStore(
    subscribe,
    () => innerHeight,
    () => AS_RENDERED_PX,
  );
}

function subscribe(onChange: () => void): () => void {
  addEventListener('resize', onChange);
  return () => removeEventListener('resize', onChange);
}
