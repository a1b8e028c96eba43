import { expect, test } from 'vitest';
import { GIVE_UP_AFTER_MS, outcomeOfStatus, RETRY_DELAYS_MS, readRetryAfter, retryDelayMs } from '@/lib/alerting/retry';

test('the waits span about a day, rise, and end', () => {
  const total = RETRY_DELAYS_MS.reduce((sum, delay) => sum + delay, 0);
  expect(total / 3_600_000).toBeGreaterThan(20);
  expect(total).toBeLessThan(GIVE_UP_AFTER_MS);
  expect([...RETRY_DELAYS_MS].sort((a, b) => a - b)).toEqual([...RETRY_DELAYS_MS]);
  expect(retryDelayMs(RETRY_DELAYS_MS.length + 1, 0.5, null)).toBeNull();
});

test.each([
  { random: 0, want: 4000 },
  { random: 0.5, want: 5000 },
  { random: 0.999_999, want: 6000 },
])('jitter at $random spreads the first wait to $want', ({ random, want }) => {
  expect(retryDelayMs(1, random, null)).toBe(want);
});

test.each([
  { asked: 1000, want: 5000 },
  { asked: 60_000, want: 60_000 },
  { asked: 10 * 86_400_000, want: 86_400_000 },
])('Retry-After of $asked ms makes $want', ({ asked, want }) => {
  expect(retryDelayMs(1, 0.5, asked)).toBe(want);
});

test.each([
  { header: null, want: null },
  { header: '120', want: 120_000 },
  { header: 'Thu, 01 Jan 1970 00:01:40 GMT', want: 40_000 },
  { header: 'Thu, 01 Jan 1970 00:00:01 GMT', want: 0 },
  { header: 'soon', want: null },
  { header: '-5', want: null },
])('Retry-After $header', ({ header, want }) => {
  expect(readRetryAfter(header, 60_000)).toBe(want);
});

test.each([
  [200, 'delivered'],
  [204, 'delivered'],
  [301, 'unavailable'],
  [400, 'refused'],
  [404, 'refused'],
  [408, 'unavailable'],
  [410, 'gone'],
  [429, 'unavailable'],
  [500, 'unavailable'],
  [503, 'unavailable'],
] as const)('status %i is %s', (status, want) => {
  expect(outcomeOfStatus(status)).toBe(want);
});
