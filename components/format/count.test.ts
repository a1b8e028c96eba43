import { expect, test } from 'vitest';
import { countOf, formatCount, formatMs, formatShare, listOf, rangeOf } from '@/components/format/count';

test.each([
  [0, '0'],
  [1284, '1,284'],
  ['9223372036854775807', '9,223,372,036,854,775,807'],
])('a count of %s reads %s, exact at any size', (count, text) => {
  expect(formatCount(count)).toBe(text);
});

test('the unit agrees with the count', () => {
  expect([countOf(0, 'event'), countOf(1, 'event'), countOf('9', 'event'), countOf(2, 'fence', 'fences')]).toEqual([
    '0 events',
    '1 event',
    '9 events',
    '2 fences',
  ]);
});

test.each([
  [0, 0, null],
  [0, 9, '0 %'],
  [9, 9, '100 %'],
  [38, 6100, '0.62 %'],
  [1, 1_000_000, 'under 0.01 %'],
  [24, 1000, '2.4 %'],
  [9_996, 10_000, '99.96 %'],
])('%i of %i is %s', (part, whole, text) => {
  expect(formatShare(part, whole)).toBe(text);
});

test('a range of one position is that position', () => {
  expect([rangeOf(1043, 1051), rangeOf(7, '7')]).toEqual(['1043 to 1051', '7']);
});

test.each([
  [[], ''],
  [['a'], 'a'],
  [['a', 'b'], 'a and b'],
  [['a', 'b', 'c', 'd'], 'a, b and 2 more'],
])('%j are listed as "%s"', (names, text) => {
  expect(listOf(names)).toBe(text);
});

test.each([
  [0, '0 ms'],
  [0.0123, '0.01 ms'],
  [9.84026480039594, '9.84 ms'],
  [311.6, '312 ms'],
  [999.4, '999 ms'],
  [1240, '1.24 s'],
])('%d ms read %s', (ms, text) => expect(formatMs(ms)).toBe(text));
