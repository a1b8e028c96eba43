import { expect, test } from 'vitest';
import { countTicks, niceTop } from '@/components/chart/nice-top';

test.each([
  [0, 4],
  [3, 4],
  [9, 10],
  [11, 20],
  [101, 200],
  [134, 200],
  [240, 250],
  [1_000, 1_000],
  [4_100, 5_000],
])('the axis over %i ends at %i', (highest, top) => {
  expect(niceTop(highest)).toBe(top);
});

test('every tick of an axis of counts is a whole count', () => {
  for (let highest = 0; highest < 3_000; highest++) expect(countTicks(niceTop(highest)).every(Number.isInteger), `${highest}`).toBe(true);
});
