import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isJsonLarger, partsOfArray } from '@/lib/base/json-marks';

const BOUNDS = { partsMax: 3, valuesMax: 20, membersMax: 2 };

describe('the parts of an array', () => {
  test('are its elements, whatever brackets and commas their text holds', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue(), { minLength: 1 }), fc.nat({ max: 2 }), (values, indent) => {
        const text = ` ${JSON.stringify(values, null, indent)}\n`;
        const parts = partsOfArray(text, 1, { partsMax: 1e6, valuesMax: 1e6, membersMax: 1e6 });
        if (typeof parts === 'string') throw new Error(parts);
        const cut = parts.ends.map((end, index) => text.slice((parts.ends[index - 1] ?? 1) + 1, end));
        expect(cut.map((part) => JSON.parse(part) as unknown)).toEqual(JSON.parse(text));
      }),
    );
  });

  test.each([
    { name: 'as many as may be', text: '[{},{},{}]', want: { ends: [3, 6, 9] } },
    { name: 'one more', text: '[{},{},{},{}]', want: 'too_many' },
    { name: 'as many values as may be', text: `[[${'0,'.repeat(18)}0]]`, want: { ends: [40] } },
    { name: 'one value more', text: `[[${'0,'.repeat(19)}0]]`, want: 'too_many' },
    { name: 'no end', text: '[{},{}', want: 'unfinished' },
    { name: 'an end within text', text: '["]', want: 'unfinished' },
    { name: 'the end of something else', text: '[{}}', want: 'unfinished' },
    { name: 'something behind the end', text: '[{}] {}', want: 'followed' },
    { name: 'a part with as many members as may be', text: '[{"a":1,"b":{}}]', want: { ends: [15], oversized: new Set() } },
    { name: 'a part with one more', text: '[0,{"a":1,"b":{"c":1}},0]', want: { oversized: new Set([1]) } },
  ])('with $name', ({ text, want }) => {
    const parts = partsOfArray(text, 0, BOUNDS);
    if (typeof want === 'string') expect(parts).toBe(want);
    else expect(parts).toMatchObject(want);
  });
});

test.each([
  { text: '[1,"a,b:{[",{"a\\"":2}]', values: 5, members: 1 },
  { text: '{"a":{"b":{"c":[]}}}', values: 5, members: 3 },
])('$text is counted without what stands in its strings', ({ text, values, members }) => {
  expect(isJsonLarger(text, { values, members })).toBe(false);
  expect(isJsonLarger(text, { values: values - 1, members })).toBe(true);
  expect(isJsonLarger(text, { values, members: members - 1 })).toBe(true);
});
