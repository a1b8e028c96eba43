import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseJsonExactly } from '@/lib/base/json';
import { jsonBatchSteps, parseJsonBatch, parseLineBatch } from '@/lib/intake/batch-text';

const FILLER = 'x'.repeat(30_000);
const large = (...texts: string[]): string => `[${[...texts, `"${FILLER}"`, `"${FILLER}"`, `"${FILLER}"`].join(',')}]`;
const membersOf = (count: number): string => `{${Array.from({ length: count }, (_, i) => `"member_${i}":0`).join(',')}}`;

describe('a large array', () => {
  test('gives what it would give if it were read at once', () => {
    const value = fc.oneof(
      fc.jsonValue(),
      fc.nat({ max: 90_000 }).map((length) => 'y'.repeat(length)),
    );
    fc.assert(
      fc.property(fc.array(value, { maxLength: 12 }), fc.nat({ max: 1 }), (values, indent) => {
        const text = JSON.stringify([...values, FILLER.repeat(3)], null, indent);
        expect(parseJsonBatch(text)).toEqual({ ok: true, value: { values: parseJsonExactly(text), unreadable: new Map() } });
      }),
    );
  });

  test('is read in several steps', () => {
    expect([...jsonBatchSteps(large(`"${FILLER}"`, `"${FILLER}"`))].length).toBe(3);
  });

  test('may be empty', () => {
    expect(parseJsonBatch(`[${' '.repeat(100_000)}]`)).toMatchObject({ ok: true, value: { values: [] } });
  });

  test.each([
    { name: 'has no end', text: large().slice(0, -1) },
    { name: 'is followed by more', text: `${large()},` },
    { name: 'ends as an object does', text: `${large().slice(0, -1)}}` },
    { name: 'lacks a value at first', text: large('') },
    { name: 'lacks a value in between', text: large('1', '', '2') },
    { name: 'lacks a value at last', text: `${large().slice(0, -1)},]` },
    { name: 'holds a value that is no JSON', text: large('{"a"}') },
  ])('that $name is no JSON', ({ text }) => {
    expect(() => JSON.parse(text)).toThrow(SyntaxError);
    expect(parseJsonBatch(text)).toMatchObject({ ok: false, error: { code: 'malformed_json' } });
  });

  test('of more values than a batch may hold is refused, however few records they are in', () => {
    expect(parseJsonBatch(`[[${'[],'.repeat(2_500_000)}[]]]`)).toMatchObject({ ok: false, error: { code: 'batch_too_large' } });
  });
});

describe('a record of more members than one may have', () => {
  const [most, more] = [membersOf(10_000), membersOf(10_001)];

  test.each([
    { name: 'alone', read: parseJsonBatch, text: more, rejected: [0] },
    { name: 'in an array', read: parseJsonBatch, text: `[${most},${more},${most}]`, rejected: [1] },
    { name: 'in a line', read: parseLineBatch, text: `${most}\n${more}\n${most}`, rejected: [1] },
  ])('is rejected, $name', ({ read, text, rejected }) => {
    const batch = read(text);
    if (!batch.ok) throw new Error(batch.error.message);
    expect([...batch.value.unreadable.keys()]).toEqual(rejected);
    for (const index of rejected) expect(batch.value.unreadable.get(index)).toContain('10000 members');
  });
});
