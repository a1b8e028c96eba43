import { setTimeout as pause } from 'node:timers/promises';

const POLL_MS = 25;

/** Waits until `condition` holds, looking every 25 ms; false when `timeoutMs` passed first. */
export async function until(condition: () => boolean, timeoutMs: number): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  while (!condition()) {
    if (performance.now() >= deadline) return false;
    await pause(POLL_MS);
  }
  return true;
}
