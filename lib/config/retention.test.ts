import { expect, test } from 'vitest';
import { oldestKeptMs } from '@/lib/config/retention';

const DAY = 86_400_000;
const MIDNIGHT = Date.UTC(2026, 0, 31);

test.each([
  { name: 'on the first instant of a day', nowMs: MIDNIGHT, days: 7, want: MIDNIGHT - 7 * DAY },
  { name: 'on its last instant', nowMs: MIDNIGHT + DAY - 1, days: 7, want: MIDNIGHT - 7 * DAY },
  { name: 'on the next day', nowMs: MIDNIGHT + DAY, days: 7, want: MIDNIGHT - 6 * DAY },
  { name: 'for longer than there is time', nowMs: MIDNIGHT, days: 36_600, want: 0 },
])('whole days are kept, $name', ({ nowMs, days, want }) => expect(oldestKeptMs(days, nowMs)).toBe(want));
