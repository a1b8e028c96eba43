import { expect, test } from 'vitest';
import type { Attempt } from '@/components/api/attempt';
import { tailLines } from '@/components/tail/tail-lines';
import type { StoredFinding } from '@/lib/audit/answer-schema';

const iso = (second: number) => new Date(Date.UTC(2025, 11, 1, 2, 14, second)).toISOString();
const attempt = (second: number) =>
  ({
    id: `a${second}`,
    at: iso(second),
    mark: 'resumed',
    server: 's',
    missing: [],
    decision: null,
    verdict: 'resumed',
  }) as unknown as Attempt;
const finding = (second: number) => ({ id: `f${second}`, at: iso(second), code: 'gap', server: 's', message: 'm' }) as StoredFinding;
const ids = (lines: ReturnType<typeof tailLines>) => lines.map(({ id }) => id);

test('attempts and findings are one list, newest first', () => {
  expect(ids(tailLines([attempt(9), attempt(3)], [finding(7), finding(4)], 10))).toEqual(['a9', 'f7', 'f4', 'a3']);
});

test('findings from before the oldest attempt read are left out, unless there is no attempt', () => {
  expect(ids(tailLines([attempt(9), attempt(3)], [finding(2)], 10))).toEqual(['a9', 'a3']);
  expect(ids(tailLines([], [finding(2)], 10))).toEqual(['f2']);
});

test('the list has a bound', () => {
  expect(ids(tailLines([attempt(9), attempt(8)], [finding(9)], 2))).toHaveLength(2);
});
