import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { encodePosition, POSITION_MAX, parsePosition } from '@/lib/base/position';

describe('positions', () => {
  test.each([
    { value: 0, want: 0n },
    { value: '0', want: 0n },
    { value: 9_007_199_254_740_991, want: 9_007_199_254_740_991n },
    { value: '9007199254740993', want: 9_007_199_254_740_993n },
    { value: '9223372036854775807', want: POSITION_MAX },
  ])('$value is a position', ({ value, want }) => expect(parsePosition(value)).toBe(want));

  test.each([
    -1,
    1.5,
    9_007_199_254_740_992,
    Number.NaN,
    '9223372036854775808',
    '-1',
    '01',
    '1.0',
    '1e3',
    ' 1',
    '',
    '٣',
    null,
    undefined,
    true,
    [1],
    {},
  ])('%s is none', (value) => expect(parsePosition(value)).toBeNull());

  test('writing and reading loses nothing', () => {
    fc.assert(fc.property(fc.bigInt({ min: 0n, max: POSITION_MAX }), (position) => parsePosition(encodePosition(position)) === position));
  });
});
