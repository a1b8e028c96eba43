import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Pause } from './pause.js';

const PAUSES = 40;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** How many of many pauses that began alike are over after each of these times. */
function overAfter(begin: (pause: Pause) => void, times: readonly number[]): number[] {
  const pauses = Array.from({ length: PAUSES }, () => new Pause(100, 1000));
  for (const pause of pauses) begin(pause);
  const began = Date.now();
  return times.map((ms) => {
    vi.setSystemTime(began + ms);
    return pauses.filter(({ isOver }) => isOver).length;
  });
}

test('a pause that was asked for is never shorter, at most half longer, and not the same for all', () => {
  const [before, amid, after] = overAfter((pause) => pause.afterFailure(0, 8000), [7999, 10_000, 12_000]);
  expect([before, after]).toEqual([0, PAUSES]);
  expect(amid).toBeGreaterThan(0);
  expect(amid).toBeLessThan(PAUSES);
});

test('a pause that nobody asked for is at least half of what it may be', () => {
  const [before, amid, after] = overAfter((pause) => pause.afterFailure(2, 0), [199, 300, 400]);
  expect([before, after]).toEqual([0, PAUSES]);
  expect(amid).toBeGreaterThan(0);
  expect(amid).toBeLessThan(PAUSES);
});
