import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { clipRanges, countPositions, lastRangeFrom, mergeRanges, type PositionRange } from '@/lib/base/ranges';

const range = fc
  .tuple(fc.bigInt({ min: 0n, max: 60n }), fc.bigInt({ min: 0n, max: 9n }))
  .map(([first, length]) => ({ first, last: first + length }));
const positionsOf = (ranges: readonly PositionRange[]) => {
  const all = new Set<bigint>();
  for (const { first, last } of ranges) for (let p = first; p <= last; p++) all.add(p);
  return all;
};

describe('ranges', () => {
  test('merging keeps every position once, in order and apart', () => {
    fc.assert(
      fc.property(fc.array(range), (drawn) => {
        const merged = mergeRanges(drawn);
        expect(positionsOf(merged)).toEqual(new Set([...positionsOf(drawn)].sort((a, b) => Number(a - b))));
        expect(countPositions(merged)).toBe(BigInt(positionsOf(drawn).size));
        for (const [i, next] of merged.entries()) if (i > 0) expect(next.first > (merged[i - 1]?.last ?? 0n) + 1n).toBe(true);
      }),
    );
  });

  test('clipping keeps exactly what lies inside', () => {
    fc.assert(
      fc.property(fc.array(range), fc.bigInt({ min: 0n, max: 70n }), fc.bigInt({ min: 0n, max: 70n }), (drawn, a, b) => {
        const inside = positionsOf(clipRanges(mergeRanges(drawn), a, b));
        expect(inside).toEqual(new Set([...positionsOf(mergeRanges(drawn))].filter((p) => p >= a && p <= b)));
      }),
    );
  });

  test('the last range that begins at or below a position', () => {
    const ranges = [
      { first: 2n, last: 3n },
      { first: 7n, last: 9n },
    ];
    expect([1n, 2n, 6n, 7n, 50n].map((p) => lastRangeFrom(ranges, p)?.first ?? null)).toEqual([null, 2n, 2n, 7n, 7n]);
  });
});
