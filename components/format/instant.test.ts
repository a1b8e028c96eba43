import { expect, test } from 'vitest';
import { ageWords, dayOf, durationWords, fullInstant, sinceWords, spanWords, timeOfDay } from '@/components/format/instant';

const AT = Date.UTC(2025, 11, 1, 2, 14, 49, 318);

test('a time of day is UTC to the asked precision', () => {
  expect([timeOfDay(AT), timeOfDay(AT, 's'), timeOfDay(AT, 'min')]).toEqual(['02:14:49.318', '02:14:49', '02:14']);
});

test('an instant in full names its zone', () => {
  expect(fullInstant(AT)).toBe('2025-12-01 02:14:49.318 UTC');
});

test.each([
  [Date.UTC(2025, 11, 1, 23, 59), '02:14 UTC'],
  [Date.UTC(2025, 11, 2, 0, 0), '1 December 02:14 UTC'],
  [Date.UTC(2026, 0, 1), '1 December 2025 02:14 UTC'],
])('seen from %i the day is named only when it is another one', (nowMs, words) => {
  expect(sinceWords(AT, nowMs)).toBe(words);
});

test('the year is named when it is not this one', () => {
  expect([dayOf(AT, AT), dayOf(AT, Date.UTC(2026, 5, 1))]).toEqual(['1 December', '1 December 2025']);
});

test.each([
  [999, 'now'],
  [1_000, '1 s ago'],
  [59_999, '59 s ago'],
  [60_000, '1 min ago'],
  [3_600_000, '1 h ago'],
  [47 * 3_600_000, '47 h ago'],
  [48 * 3_600_000, '2 d ago'],
  [-5_000, 'now'],
])('%i ms after, the age reads %s', (age, words) => {
  expect(ageWords(AT, AT + age)).toBe(words);
});

test.each([
  [45_999, '45 s'],
  [61_000, '1 min'],
  [15 * 60_000, '15 min'],
  [3_599_000, '1 h'],
  [3 * 3_600_000, '3 h'],
  [3 * 3_600_000 + 5 * 60_000 + 17_000, '3 h 5 min'],
  [24 * 3_600_000 + 59 * 60_000, '24 h 59 min'],
  [7 * 86_400_000 + 59 * 60_000, '7 d'],
  [7 * 86_400_000 + 3_600_000, '7 d 1 h'],
])('a range of %i ms is %s long', (ms, words) => {
  expect(spanWords(ms)).toBe(words);
});

test('a duration is floored to its largest unit', () => {
  expect(durationWords(119_000)).toBe('1 min');
});
