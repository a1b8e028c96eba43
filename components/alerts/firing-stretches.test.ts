import { expect, test } from 'vitest';
import { firingStretches } from '@/components/alerts/firing-stretches';

const points = (firing: readonly number[]) => firing.map((count, index) => ({ at: index, firing: count }));

test.each([
  [[], []],
  [[0, 0], []],
  [
    [0, 2, 1, 0, 0, 1, 0],
    [
      [1, 3],
      [5, 6],
    ],
  ],
  [[1, 1], [[0, 1]]],
  [[0, 1], [[1, 1]]],
])('%j has the stretches %j', (firing, stretches) => {
  expect(firingStretches(points(firing))).toEqual(stretches);
});
