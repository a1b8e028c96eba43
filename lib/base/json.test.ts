import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseJsonExactly, stableJson } from '@/lib/base/json';

describe('exact JSON', () => {
  test.each([
    { text: '{"cursor":9007199254740993}', want: { cursor: '9007199254740993' } },
    { text: '[9223372036854775807,-9223372036854775807]', want: ['9223372036854775807', '-9223372036854775807'] },
    { text: '9007199254740993', want: '9007199254740993' },
    { text: '{"id":"9007199254740993 9007199254740993"}', want: { id: '9007199254740993 9007199254740993' } },
    { text: '{"a\\":1234567890123456,":1234567890123456}', want: { 'a":1234567890123456,': '1234567890123456' } },
    { text: '[1234567890123456.5]', want: [1234567890123456.5] },
    { text: '{"at":1764500000000}', want: { at: 1764500000000 } },
  ])('$text', ({ text, want }) => expect(parseJsonExactly(text)).toEqual(want));

  test('long digits inside text stay text, wherever they stand', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string(), (value, prefix) => {
        const wrapped = [value, `${prefix}: 12345678901234567890, `, { [`${prefix},1234567890123456`]: 1 }];
        expect(parseJsonExactly(JSON.stringify(wrapped))).toEqual(JSON.parse(JSON.stringify(wrapped), quoteLong));
      }),
    );
  });

  test('megabytes of escapes beside a long integer are read', () => {
    const text = '\n'.repeat(4_000_000);
    expect(parseJsonExactly(`[${JSON.stringify(text)},1234567890123456789]`)).toEqual([text, '1234567890123456789']);
  });

  test('text that is not JSON throws as JSON.parse does', () =>
    expect(() => parseJsonExactly('{"a":12345678901234567')).toThrow(SyntaxError));
});

function quoteLong(_key: string, value: unknown): unknown {
  return typeof value === 'number' && Number.isInteger(value) && /^-?\d{16,}$/.test(String(value)) ? String(value) : value;
}

test('stable JSON gives equal bytes for equal values', () => {
  expect(stableJson({ b: 1, a: [{ d: 1, c: undefined, b: null }] })).toBe('{"a":[{"b":null,"d":1}],"b":1}');
});
