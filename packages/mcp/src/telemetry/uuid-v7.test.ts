import fc from 'fast-check';
import { expect, test } from 'vitest';
import { uuidV7Source } from './uuid-v7.js';

test('ids are version 7, distinct and in order, whatever the clock does', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 200 }), (instants) => {
      let call = 0;
      const next = uuidV7Source(() => 1_764_500_000_000 + (instants[call++ % instants.length] ?? 0));
      const ids = Array.from({ length: 300 }, next);
      expect(ids.every((id) => /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id))).toBe(true);
      expect(ids).toEqual([...new Set(ids)].sort());
    }),
    { numRuns: 20 },
  );
});

test('more ids than the counter holds in one millisecond stay in order', () => {
  const next = uuidV7Source(() => 1_764_500_000_000);
  const ids = Array.from({ length: 10_000 }, next);
  expect(ids).toEqual([...new Set(ids)].sort());
});
