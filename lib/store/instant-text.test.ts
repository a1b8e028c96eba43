import fc from 'fast-check';
import { expect, test } from 'vitest';
import { instantWriter } from '@/lib/store/instant-text';

test('writes every instant as the standard formatter does', () => {
  const write = instantWriter();
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 253_402_300_799_998 }), (ms) => {
      expect(write(ms)).toBe(new Date(ms).toISOString());
      expect(write(ms + 1)).toBe(new Date(ms + 1).toISOString());
    }),
  );
});
