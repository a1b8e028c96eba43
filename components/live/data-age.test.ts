import { expect, test } from 'vitest';
import { oldDataAt } from '@/components/live/data-age';

const NOW = 1_000_000;

test.each([
  ['nothing is read', [], null],
  ['what is being read does not count', [0, NOW - 5], null],
  ['two minutes are not old', [NOW - 120_000], null],
  ['the oldest part counts', [NOW - 5, NOW - 120_001, 0], NOW - 120_001],
])('%s', (_, readAt, want) => {
  expect(oldDataAt(readAt, NOW)).toBe(want);
});
