import { useSyncExternalStore } from 'react';

const TICK_MS = 1_000;
let nowMs = 0;
let timer: ReturnType<typeof setInterval> | null = null;
const listeners = new Set<() => void>();

/** The present in whole seconds, epoch milliseconds; one clock for the whole page. 0 while rendered on the server. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, present, () => 0);
}

function present(): number {
  if (nowMs === 0) nowMs = floorNow();
  return nowMs;
}

function subscribe(onTick: () => void): () => void {
  listeners.add(onTick);
  timer ??= setInterval(tick, TICK_MS);
  return () => {
    listeners.delete(onTick);
    if (listeners.size > 0 || timer === null) return;
    clearInterval(timer);
    timer = null;
  };
}

function tick(): void {
  nowMs = floorNow();
  for (const listener of listeners) listener();
}

function floorNow(): number {
  return Math.floor(Date.now() / TICK_MS) * TICK_MS;
}
