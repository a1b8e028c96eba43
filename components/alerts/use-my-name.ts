'use client';

import { useSyncExternalStore } from 'react';

const KEY = 'tidemark-name';
const CHANGED = 'tidemark-name';

/** The name under which this browser acknowledges and silences; empty until one was given. */
export function useMyName(): readonly [string, (name: string) => void] {
  const name = useSyncExternalStore(
    subscribe,
    () => localStorage.getItem(KEY) ?? '',
    () => '',
  );
  return [name, remember];
}

function remember(name: string): void {
  localStorage.setItem(KEY, name);
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
