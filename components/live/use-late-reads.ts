'use client';

import { useLive } from '@/components/live/live-provider';

const LATE_MS = 10_000;

/**
 * How often to read again what follows from stored records later, milliseconds: findings and incidents come up to
 * minutes after their records, and no frame tells of them. False while paused.
 */
export function useLateReads(): number | false {
  return useLive().isPaused ? false : LATE_MS;
}
