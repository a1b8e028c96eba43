import { expect, test } from 'vitest';
import { clampToInt64 } from '@/lib/base/int64';

test.each([
  ['the largest one', 2n ** 63n - 1n, 2n ** 63n - 1n],
  ['one more than the largest', 2n ** 63n, 2n ** 63n - 1n],
  ['the smallest one', -(2n ** 63n), -(2n ** 63n)],
  ['one less than the smallest', -(2n ** 63n) - 1n, -(2n ** 63n)],
  ['nothing', 0n, 0n],
])('%s becomes the nearest integer of 64 bits', (_name, value, nearest) => expect(clampToInt64(value)).toBe(nearest));
