import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Dechunker } from '@/lib/proxy/dechunker';

function decode(wire: Buffer, cuts: readonly number[]): { payload: Buffer; reader: Dechunker } {
  const reader = new Dechunker();
  const parts: Buffer[] = [];
  let from = 0;
  for (const cut of [...new Set([...cuts.map((cut) => cut % (wire.length + 1)), wire.length])].sort((a, b) => a - b)) {
    const piece = Buffer.concat([Buffer.from('??'), wire.subarray(from, cut), Buffer.from('!!')]);
    reader.decode(piece, 2, piece.length - 2);
    parts.push(Buffer.from(piece.subarray(reader.start, reader.end)));
    from = cut;
  }
  return { payload: Buffer.concat(parts), reader };
}

const CHUNK = fc.record({
  data: fc.uint8Array({ minLength: 1, maxLength: 300 }),
  extension: fc.constantFrom('', ';a=b', ' ; quoted="x;y"'),
  isUpper: fc.boolean(),
});

test('any chunking cut anywhere gives back the payload, and nothing after the end', () => {
  fc.assert(
    fc.property(
      fc.array(CHUNK),
      fc.array(fc.nat(10_000)),
      fc.constantFrom('', 'x-sum: 1\r\n', 'a: b\r\nc: d\r\n'),
      (chunks, cuts, trailers) => {
        const framed = chunks.map(({ data, extension, isUpper }) => {
          const size = data.length.toString(16);
          return Buffer.concat([Buffer.from(`${isUpper ? size.toUpperCase() : size}${extension}\r\n`), data, Buffer.from('\r\n')]);
        });
        const wire = Buffer.concat([...framed, Buffer.from(`0\r\n${trailers}\r\nHTTP/1.1 200 OK\r\n`)]);
        const { payload, reader } = decode(wire, cuts);
        expect(payload).toEqual(Buffer.concat(chunks.map(({ data }) => data)));
        expect([reader.isDone, reader.isBroken]).toEqual([true, false]);
      },
    ),
  );
});

test.each([
  ['a size that is none', 'xyz\r\n'],
  ['an empty size', '\r\nabc'],
  ['a bare line feed after the size', '3\nabc\r\n'],
  ['more data than the size says', '3\r\nabcd\r\n'],
  ['a size beyond what can be counted', `${'f'.repeat(13)}\r\n`],
  ['a negative size', '-3\r\nabc\r\n'],
  ['an endless extension', `3;${'x'.repeat(20_000)}`],
  ['a trailer without its CR', '0\r\na: b\n'],
])('%s breaks the body', (_case, wire) => {
  const { reader } = decode(Buffer.from(wire), []);
  expect([reader.isDone, reader.isBroken]).toEqual([false, true]);
});

test('a body that was cut off is neither done nor broken', () => {
  const { payload, reader } = decode(Buffer.from('5\r\nhel'), []);
  expect([payload.toString(), reader.isDone, reader.isBroken]).toEqual(['hel', false, false]);
});
