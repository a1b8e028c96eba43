import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isNestedDeeper } from '@/lib/intake/nesting-depth';

const depthOf = (value: unknown): number =>
  value === null || typeof value !== 'object' ? 0 : 1 + Math.max(0, ...Object.values(value).map(depthOf));

test('agrees with the depth of the parsed value, whatever its strings hold', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 6 }), fc.nat(8), (json, depthMax) => {
      expect(isNestedDeeper(json, depthMax)).toBe(depthOf(JSON.parse(json)) > depthMax);
    }),
  );
});

test.each([
  ['[[[["[[[["]]]]', 4, false],
  ['[[[["[[[["]]]]', 3, true],
  ['{"\\"[[[":["\\\\"]}', 2, false],
  ['[[],[],[],[]]', 2, false],
])('%s is deeper than %i: %s', (json, depthMax, isDeeper) => expect(isNestedDeeper(json, depthMax)).toBe(isDeeper));
