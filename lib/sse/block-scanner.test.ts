import { createParser } from 'eventsource-parser';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BlockScanner, EVENT_ID_BYTES_MAX, type SseBlock } from '@/lib/sse/block-scanner';

const KEY = { a: 1, b: 2 };

function scan(bytes: Buffer, cuts: readonly number[]): SseBlock[] {
  const blocks: SseBlock[] = [];
  const scanner = new BlockScanner(KEY, (block) => blocks.push(block));
  let from = 0;
  for (const [i, cut] of [...cuts, bytes.length].entries()) {
    // Every other piece lies amid bytes that are none of the stream's, as in a buffer with room around it.
    if (i % 2 === 0) scanner.feed(bytes.subarray(from, cut));
    else scanner.feed(Buffer.concat([Buffer.from('\n\n'), bytes.subarray(from, cut), Buffer.from('\n\r\nid: 0\n\n')]), 2, 2 + cut - from);
    from = cut;
  }
  return blocks;
}

const scanText = (text: string): SseBlock[] => scan(Buffer.from(text), []);
const ids = (text: string): (string | null)[] => scanText(text).map((block) => block.id);

const LINE = fc.oneof(
  fc.constantFrom(
    '',
    '',
    'id',
    'id:',
    'id: ',
    'id:7',
    'id: 8',
    'id:  9',
    'id: a\0b',
    'data',
    'data:',
    'data: {"x":1}',
    'data: ü€😀',
    'idx: 1',
  ),
  fc.constantFrom(
    ':',
    ': ping',
    'event: message',
    'retry: 500',
    'datax: 3',
    'dat: 3',
    'i',
    'd',
    '\u{feff}id: 3',
    'id: "\\"',
    'id: é',
    `id: ${'9'.repeat(EVENT_ID_BYTES_MAX)}`,
    '\u{fefe}data: x',
  ),
  fc.string({ maxLength: 12 }).map((text) => text.replaceAll(/[\r\n]/g, '')),
);
const STREAM = fc
  .tuple(fc.boolean(), fc.array(fc.tuple(LINE, fc.constantFrom('\n', '\n', '\r', '\r\n'))))
  .map(([hasBom, lines]) => `${hasBom ? '\u{feff}' : ''}${lines.map(([line, end]) => line + end).join('')}`);

test('any chunking of a stream yields the events that eventsource-parser reads from the whole', () => {
  fc.assert(
    fc.property(STREAM, fc.array(fc.nat(400)), (text, cutSeeds) => {
      // The closing comment settles what a trailing CR was, which the reference leaves open at the end of input.
      const bytes = Buffer.from(`${text}\n:\n`);
      const expected: { id: string | null; data: string }[] = [];
      const parser = createParser({ onEvent: (event) => expected.push({ id: event.id ?? null, data: event.data }) });
      // The reference takes text; a byte per character is what it strips a byte order mark from.
      parser.feed(bytes.toString('latin1'));
      const cuts = [...new Set(cutSeeds.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
      const events = scan(bytes, cuts).filter((block) => block.dataLines > 0);
      expect(events.map((block) => block.id)).toEqual(expected.map((event) => event.id));
      expect(events.map((block) => block.dataBytes + block.dataLines - 1)).toEqual(expected.map((event) => event.data.length));
    }),
    { numRuns: 1500 },
  );
});

test('equal data has an equal fingerprint for any chunking and framing, other data another', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), fc.array(fc.nat(200)), (one, two, cutSeeds) => {
      const data = (text: string) => JSON.stringify(text);
      const plain = scanText(`id: 1\ndata: ${data(one)}\n\n`);
      const framed = Buffer.from(`event: message\r\ndata:${data(one)}\r\nid: 2\r\nretry: 5\r\n\r\n`);
      const cuts = [...new Set(cutSeeds.map((cut) => cut % framed.length))].sort((a, b) => a - b);
      expect(scan(framed, cuts)[0]?.fingerprint).toBe(plain[0]?.fingerprint);
      if (one !== two) expect(scanText(`data: ${data(two)}\n\n`)[0]?.fingerprint).not.toBe(plain[0]?.fingerprint);
    }),
  );
});

test('a fingerprint tells where in the data each word stands', () => {
  const words = Array.from({ length: 12 }, (_, i) => String(1000 + i));
  const swapped = words.flatMap((_, i) =>
    words
      .slice(i + 1)
      .map((_one, j) => words.map((word, at) => (at === i ? words[i + 1 + j] : at === i + 1 + j ? words[i] : word)).join('')),
  );
  const lengths = words.map((_, i) => words.join('').slice(0, 3 * i + 1));
  const texts = [words.join(''), ...swapped, ...lengths, ...lengths.map((text) => `${text}\0`)];
  const fingerprints = texts.map((text) => scanText(`data: ${text}\n\n`)[0]?.fingerprint);
  expect(new Set(fingerprints).size).toBe(new Set(texts).size);
});

test('a fingerprint depends on its key', () => {
  const other: SseBlock[] = [];
  new BlockScanner({ a: 1, b: 3 }, (block) => other.push(block)).feed(Buffer.from('data: x\n\n'));
  expect(other[0]?.fingerprint).not.toBe(scanText('data: x\n\n')[0]?.fingerprint);
});

test.each([
  ['id and empty data: a priming event', 'id: p1\ndata: \n\n', ['p1']],
  ['id without data', 'id: 5\n\n', ['5']],
  ['empty id clears the cursor', 'id: 5\ndata: a\n\nid\ndata: b\n\n', ['5', '']],
  ['id with NUL is ignored', 'id: a\0b\ndata: x\n\n', [null]],
  ['last id of a block wins', 'id: 1\nid: 2\ndata: x\n\n', ['2']],
  ['an ignored id keeps the one before it', 'id: 1\nid: 2\0\ndata: x\n\n', ['1']],
  ['only one leading space is dropped', 'id:   7 \ndata: x\n\n', ['  7 ']],
  ['a block without its blank line does not count', 'id: 1\ndata: x\n\nid: 2\ndata: y\n', ['1']],
  ['a byte order mark counts only at the start', '\u{feff}id: 1\ndata: x\n\n\u{feff}id: 2\ndata: x\n\n', ['1', null]],
  ['comments and blank lines alone make no block with an id', ':\n\n\n\n: ping\n\n', [null, null]],
])('%s', (_rule, text, expected) => {
  expect(ids(text)).toEqual(expected);
});

test('ids keep their bytes, one character each', () => {
  const [block] = scan(Buffer.concat([Buffer.from('id: '), Buffer.from([0xff, 0xe9, 0x80]), Buffer.from('\ndata: x\n\n')]), []);
  expect(block?.id).toBe('\u{ff}\u{e9}\u{80}');
});

test('an id over the bound is reported as too long', () => {
  const fits = 'x'.repeat(EVENT_ID_BYTES_MAX);
  expect(scanText(`id: ${fits}\ndata: x\n\n`)[0]).toMatchObject({ id: fits, idTooLong: false });
  expect(scanText(`id: ${fits}y\ndata: x\n\n`)[0]).toMatchObject({ idTooLong: true });
});

test('the end of a block is the offset after its line end, CRLF included', () => {
  const text = 'data: a\r\n\r\ndata: b\n\ndata: c\r\r';
  expect(scanText(text).map((block) => [block.blankAt, block.end])).toEqual([
    [9, 11],
    [19, 20],
    [28, 29],
  ]);
});

test('boundaries are known between chunks', () => {
  const scanner = new BlockScanner(KEY, () => undefined);
  const states = ['id: 1\n', 'data: x', '\n', '\n', ': c', '\n\n'].map((text) => {
    scanner.feed(Buffer.from(text));
    return scanner.isAtBoundary;
  });
  expect(states).toEqual([false, false, false, true, false, true]);
});

test('random bytes never throw', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 40 })), (chunks) => {
      const scanner = new BlockScanner(KEY, () => undefined);
      for (const chunk of chunks) scanner.feed(chunk);
    }),
  );
});
