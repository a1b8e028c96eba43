import { expect, test } from 'vitest';
import { findingCount, findingCountCell } from '@/components/findings/finding-words';

test.each([
  ['gap', 9, true, '9 events', '9'],
  ['gap', 1, false, 'at least 1 event', '≥ 1'],
  ['reconnect_loop', 3, true, '3 connections', '3'],
  ['abandoned_sessions', 1200, true, '1,200 sessions', '1,200'],
] as const)('%s of %i, exact %s, reads %s', (code, count, exact, words, cell) => {
  expect(findingCount({ code, count, exact })).toBe(words);
  expect(findingCountCell({ count, exact })).toBe(cell);
});
