'use client';

import { useCallback, useMemo, useSyncExternalStore } from 'react';

const CHANGED = 'tidemark-stored';

/**
 * A text that this browser keeps, read by `read` (null where nothing or nothing readable is kept), and the way to
 * set it; null forgets it. Every part of every tab that shows it follows. A browser that keeps nothing shows null.
 */
export function useStored<T>(key: string, read: (text: string) => T | null): readonly [T | null, (text: string | null) => void] {
  const text = useSyncExternalStore(
    subscribe,
    () => storedText(key),
    () => null,
  );
  const value = useMemo(() => (text === null ? null : read(text)), [text, read]);
  const set = useCallback((next: string | null) => keep(key, next), [key]);
  return [value, set];
}

/** A text that this browser keeps, now; null where it keeps none. */
export function storedText(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    // Storage is refused to this page: nothing is kept.
    return null;
  }
}

function keep(key: string, text: string | null): void {
  try {
    if (text === null) localStorage.removeItem(key);
    else localStorage.setItem(key, text);
  } catch {
    // Full or refused: the choice holds in the URL only.
  }
  dispatchEvent(new Event(CHANGED));
}

function subscribe(onChange: () => void): () => void {
  addEventListener(CHANGED, onChange);
  addEventListener('storage', onChange);
  return () => {
    removeEventListener(CHANGED, onChange);
    removeEventListener('storage', onChange);
  };
}
