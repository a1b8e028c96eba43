import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fewer } from '@/lib/query/blindness';

test('stretches told as one are those closest to each other', () => {
  const stretches = [
    { fromMs: 0, toMs: 10 },
    { fromMs: 100, toMs: 110 },
    { fromMs: 115, toMs: 120 },
    { fromMs: 500, toMs: 600 },
  ];
  expect(fewer(stretches, 4)).toEqual(stretches);
  expect(fewer(stretches, 3)).toEqual([stretches[0], { fromMs: 100, toMs: 120 }, stretches[3]]);
  expect(fewer(stretches, 1)).toEqual([{ fromMs: 0, toMs: 600 }]);
});

test('fewer stretches never leave out an instant that one of the given holds', () => {
  const edges = fc.uniqueArray(fc.nat(1000), { minLength: 2, maxLength: 40 }).map((list) => list.sort((a, b) => a - b));
  fc.assert(
    fc.property(edges, fc.integer({ min: 1, max: 10 }), (instants, max) => {
      const stretches = instants.flatMap((fromMs, i) =>
        i % 2 === 0 && i + 1 < instants.length ? [{ fromMs, toMs: instants[i + 1] ?? 0 }] : [],
      );
      const told = fewer(stretches, max);
      expect(told.length).toBeLessThanOrEqual(Math.max(max, 0) || stretches.length);
      for (const { fromMs, toMs } of stretches) expect(told.some((one) => one.fromMs <= fromMs && toMs <= one.toMs)).toBe(true);
    }),
  );
});
