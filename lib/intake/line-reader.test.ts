import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BATCH_RECORDS_MAX, parseLineBatch } from '@/lib/intake/batch-text';
import { LineReader } from '@/lib/intake/line-reader';

interface Read {
  readonly values: readonly unknown[];
  readonly unreadable: readonly [number, string][];
}

/** Reads the bytes cut at the given places; a string is the code of the refusal. */
function readCut(bytes: Buffer, cuts: readonly number[]): Read | string {
  const reader = new LineReader();
  const ends = [...new Set([...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length])].sort((a, b) => a - b);
  const values: unknown[] = [];
  const unreadable: [number, string][] = [];
  const add = (part: ReturnType<LineReader['push']>): string | null => {
    if (!part.ok) return part.error.code;
    for (const [index, message] of part.value.unreadable) unreadable.push([values.length + index, message]);
    values.push(...part.value.values);
    return null;
  };
  let from = 0;
  for (const to of ends) {
    const problem = add(reader.push(bytes.subarray(from, to)));
    if (problem !== null) return problem;
    from = to;
  }
  return add(reader.end()) ?? { values, unreadable };
}

function readWhole(text: string): Read | string {
  const batch = parseLineBatch(text);
  return batch.ok ? { values: batch.value.values, unreadable: [...batch.value.unreadable] } : batch.error.code;
}

const line = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ type: fc.constant('boot'), server: fc.string({ unit: 'binary' }) }).map((value) => JSON.stringify(value)),
  },
  fc.constantFrom('', '   ', '{', '7', 'é€𝄞', '{"a":12345678901234567890}', '{"a":1}\r'),
);

describe('lines that arrive in pieces', () => {
  test('give the records that they give as a whole, wherever the bytes are cut', () => {
    const body = fc.array(line, { maxLength: 12 }).map((lines) => lines.join('\n'));
    fc.assert(
      fc.property(body, fc.boolean(), fc.array(fc.nat({ max: 2_000 }), { maxLength: 20 }), (text, isEnded, cuts) => {
        const whole = isEnded ? `${text}\n` : text;
        expect(readCut(Buffer.from(whole), cuts)).toEqual(readWhole(whole));
      }),
    );
  });

  test('may begin with a byte order mark, cut or not', () => {
    const bytes = Buffer.from('\ufeff{"type":"boot"}\n{"type":"boot"}');
    for (let cut = 0; cut <= 5; cut++) expect(readCut(bytes, [cut])).toMatchObject({ values: [{ type: 'boot' }, { type: 'boot' }] });
  });

  test('are refused where they are not UTF-8', () => {
    expect(readCut(Buffer.from([0x7b, 0x7d, 10, 0xff, 10]), [1, 2])).toBe('malformed_encoding');
    expect(readCut(Buffer.from([0x7b, 0x7d, 10, 0xe2, 0x82]), [])).toBe('malformed_encoding');
  });

  test.each([
    [BATCH_RECORDS_MAX, 'taken'],
    [BATCH_RECORDS_MAX + 1, 'batch_too_large'],
  ])('%i of them are %s', (count, expected) => {
    const read = readCut(Buffer.from('{}\n'.repeat(count)), [100_000, 200_000]);
    expect(typeof read === 'string' ? read : 'taken').toBe(expected);
  });
});
