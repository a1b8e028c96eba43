import { expect, test } from 'vitest';
import { backOffMs } from '@/components/live/back-off';

test.each([
  [0, 0, 250],
  [0, 1, 500],
  [3, 1, 4_000],
  [60, 1, 20_000],
  [60, 0, 10_000],
])('reconnect %i with chance %d waits %i ms', (attempt, chance, expected) => {
  expect(backOffMs(attempt, chance)).toBe(expected);
});
