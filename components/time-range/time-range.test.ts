import { expect, test } from 'vitest';
import {
  absoluteRange,
  DEFAULT_RANGE,
  isPast,
  liveRange,
  PRESETS,
  parseRange,
  rangeText,
  shiftedRange,
  spanOf,
  stepOf,
  stepWords,
} from '@/components/time-range/time-range';
import { parseTypedInstant, typedInstant } from '@/components/time-range/typed-instant';

const NOW = Date.UTC(2025, 11, 1, 3, 7);

test.each(PRESETS)('the preset %s comes back from the URL as it was', (preset) => {
  expect(parseRange(rangeText({ kind: 'relative', preset }))).toEqual({ kind: 'relative', preset });
});

test('an absolute range comes back from the URL as it was', () => {
  const range = absoluteRange(NOW - 1_000, NOW);
  expect(range === null ? null : parseRange(rangeText(range))).toEqual(range);
});

test.each(['', '4h', 'x..y', '2025-12-01T03:00:00Z..2025-12-01T02:00:00Z', '1..2..3'])('%j is no range', (text) => {
  expect(parseRange(text)).toBeNull();
});

test('a relative range ends now, and from three hours on begins with an hour', () => {
  expect(spanOf({ kind: 'relative', preset: '1h' }, NOW)).toEqual({ fromMs: NOW - 3_600_000, toMs: NOW });
  const { fromMs, toMs } = spanOf({ kind: 'relative', preset: '3h' }, NOW);
  expect([fromMs % 3_600_000, toMs]).toEqual([0, NOW]);
  expect(fromMs).toBeLessThanOrEqual(NOW - 3 * 3_600_000);
  expect(fromMs).toBeGreaterThan(NOW - 4 * 3_600_000);
});

test.each([
  [15 * 60, 5],
  [3_600, 30],
  [3 * 3_600, 60],
  [24 * 3_600, 900],
  [30 * 86_400, 6 * 3_600 * 2],
  [4_000 * 86_400, 17 * 86_400],
])('a range of %i s has bars of %i s', (seconds, step) => {
  expect(stepOf({ fromMs: NOW - seconds * 1_000, toMs: NOW })).toBe(step);
});

test.each([
  [1, 'one second'],
  [60, 'one minute'],
  [300, '5 minutes'],
  [43_200, '12 hours'],
  [86_400, 'one day'],
])('a step of %i s reads %s', (step, words) => {
  expect(stepWords(step)).toBe(words);
});

test.each([
  ['now', NOW],
  ['02:14', Date.UTC(2025, 11, 1, 2, 14)],
  ['23:59', Date.UTC(2025, 10, 30, 23, 59)],
  ['2025-12-01', Date.UTC(2025, 11, 1)],
  ['2025-11-30 18:02', Date.UTC(2025, 10, 30, 18, 2)],
  ['2025-11-30 8:02', Date.UTC(2025, 10, 30, 8, 2)],
  ['2025-11-30T18:02:03Z', Date.UTC(2025, 10, 30, 18, 2, 3)],
  ['24:00', null],
  ['yesterday', null],
  ['2025-13-01', null],
])('%s typed at 03:07 means %s', (text, atMs) => {
  expect(parseTypedInstant(text, NOW)).toBe(atMs);
});

test('an instant that is shown can be typed back', () => {
  expect(parseTypedInstant(typedInstant(NOW), 0)).toBe(NOW);
});

test.each(PRESETS)('the preset %s is live again after a look at what was before it', (preset) => {
  for (const shiftedAt of [NOW, NOW + 52 * 60_000 + 59_999, Date.UTC(2025, 11, 1, 3)]) {
    const before = shiftedRange({ kind: 'relative', preset }, -1, shiftedAt);
    expect(shiftedRange(before, 1, shiftedAt)).toEqual({ kind: 'relative', preset });
    expect(shiftedRange(before, 1, shiftedAt + 40_000)).toEqual({ kind: 'relative', preset });
    expect(liveRange(before)).toEqual({ kind: 'relative', preset });
  }
});

test('a stretch that no preset can be as long as goes back to the default range', () => {
  for (const length of [4 * 3_600_000, 3 * 3_600_000 - 1, 3_600_001, 77]) {
    expect(liveRange({ kind: 'absolute', fromMs: NOW - length, toMs: NOW })).toEqual(DEFAULT_RANGE);
  }
});

test('a range is past once its fixed end is', () => {
  const fixed = { kind: 'absolute', fromMs: NOW - 1_000, toMs: NOW } as const;
  expect([NOW - 1, NOW, NOW + 1].map((now) => isPast(fixed, now))).toEqual([false, true, true]);
  expect(isPast(DEFAULT_RANGE, NOW)).toBe(false);
});

test('a range is shifted by its own length, and never beyond now', () => {
  const hour = 3_600_000;
  const before = shiftedRange({ kind: 'relative', preset: '1h' }, -1, NOW);
  expect(before).toEqual({ kind: 'absolute', fromMs: NOW - 2 * hour, toMs: NOW - hour });
  expect(shiftedRange(before, -1, NOW)).toEqual({ kind: 'absolute', fromMs: NOW - 3 * hour, toMs: NOW - 2 * hour });
  expect(shiftedRange(before, 1, NOW)).toEqual({ kind: 'relative', preset: '1h' });
  expect(shiftedRange(before, 1, NOW + 60_000)).toEqual({ kind: 'relative', preset: '1h' });
  expect(shiftedRange({ kind: 'relative', preset: '1h' }, 1, NOW)).toEqual({ kind: 'relative', preset: '1h' });
  expect(shiftedRange({ kind: 'absolute', fromMs: NOW - 3 * hour, toMs: NOW - 2.5 * hour }, 1, NOW)).toEqual({
    kind: 'absolute',
    fromMs: NOW - 2.5 * hour,
    toMs: NOW - 2 * hour,
  });
  expect(shiftedRange({ kind: 'absolute', fromMs: NOW - 100, toMs: NOW - 23 }, 1, NOW)).toEqual({
    kind: 'absolute',
    fromMs: NOW - 77,
    toMs: NOW,
  });
});
