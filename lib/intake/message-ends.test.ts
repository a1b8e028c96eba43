import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MessageEnds } from '@/lib/intake/message-ends';

/** A frame of spaces under a mask of zeros. */
function frame(first: number, length: number): Buffer {
  const head = Buffer.alloc(length < 126 ? 6 : length < 65_536 ? 8 : 14);
  head[0] = first;
  head[1] = 0x80 | (length < 126 ? length : length < 65_536 ? 126 : 127);
  if (length >= 65_536) head.writeBigUInt64BE(BigInt(length), 2);
  else if (length >= 126) head.writeUInt16BE(length, 2);
  return Buffer.concat([head, Buffer.alloc(length, ' ')]);
}

describe('ends of messages', () => {
  test.each([0, 1, 125, 126, 65_535, 65_536])('a frame of %i bytes ends with its last byte', (length) => {
    const bytes = frame(0x81, length);
    const ends = new MessageEnds();
    expect(ends.push(bytes.subarray(0, -1))).toEqual([]);
    expect(ends.unfinished).toBe(bytes.length - 1);
    expect(ends.push(bytes.subarray(-1))).toEqual([{ isControl: false, bytes: bytes.length }]);
    expect(ends.unfinished).toBe(0);
  });

  test('parts count together, and a control frame between them apart', () => {
    const ends = new MessageEnds();
    const parts = [frame(0x01, 10), frame(0x89, 4), frame(0x00, 0), frame(0x80, 20), frame(0x81, 9).subarray(0, 3)];
    expect(ends.push(Buffer.concat(parts))).toEqual([
      { isControl: true, bytes: 10 },
      { isControl: false, bytes: 16 + 6 + 26 },
    ]);
    expect(ends.unfinished).toBe(3);
  });

  test('no byte is counted twice or not at all, however the bytes are cut', () => {
    const message = fc.record({ first: fc.constantFrom(0x81, 0x01, 0x80, 0x00, 0x89, 0x8a), length: fc.integer({ min: 0, max: 200 }) });
    fc.assert(
      fc.property(fc.array(message), fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1 }), (messages, cuts) => {
        const bytes = Buffer.concat(messages.map(({ first, length }) => frame(first, length)));
        const whole = new MessageEnds();
        const cut = new MessageEnds();
        const ended = [];
        for (let at = 0, n = 0; at < bytes.length; n++) {
          const size = cuts[n % cuts.length] ?? 1;
          ended.push(...cut.push(bytes.subarray(at, at + size)));
          at += size;
        }
        expect(ended).toEqual(whole.push(bytes));
        expect(ended.reduce((sum, end) => sum + end.bytes, cut.unfinished)).toBe(bytes.length);
      }),
    );
  });
});
