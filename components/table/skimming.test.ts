import { expect, test } from 'vitest';
import { AT_REST, type Motion, movedTo } from '@/components/table/skimming';

const VIEW_PX = 600;

const after = (...offsets: readonly number[]): Motion =>
  offsets.reduce((motion, offset) => movedTo(motion, offset, VIEW_PX, true), AT_REST);

test.each<[string, readonly number[], boolean]>([
  ['a wheel', [100, 200, 300], false],
  ['one leap, as by End', [90_000], false],
  ['leaps in a row', [5_000, 10_000], true],
  ['leaps upwards', [10_000, 5_000], true],
  ['steps of exactly one view', [600, 1_200], true],
  ['steps of a pixel less', [599, 1_198], false],
  ['leaps that became slow', [5_000, 10_000, 10_100], false],
  ['one leap after it became slow', [5_000, 10_000, 10_100, 20_000], false],
])('%s skims: %s → %s', (_, offsets, isSkimming) => {
  expect(after(...offsets).isSkimming).toBe(isSkimming);
});

test('a list that stands still is read again, wherever it stopped', () => {
  const still = movedTo(after(5_000, 10_000), 20_000, VIEW_PX, false);
  expect(still).toEqual({ offsetPx: 20_000, isLeap: false, isSkimming: false });
});
