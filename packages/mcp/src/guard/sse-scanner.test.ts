import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SseScanner } from './sse-scanner.js';

const bytes = (text: string) => new TextEncoder().encode(text);
const scan = (...chunks: string[]) => {
  const scanner = new SseScanner((data) => `<${data}>`);
  return chunks.flatMap((chunk) => scanner.feed(bytes(chunk)));
};

test.each([
  { name: 'an event with an id', text: 'event: message\nid: 1\ndata: {}\n\n', want: [{ id: '1', digest: '<{}>' }] },
  { name: 'a priming event', text: 'id: 1\nretry: 40\ndata: \n\n', want: [{ id: '1', digest: null }] },
  {
    name: 'an event without id keeps none from before',
    text: 'id: 1\ndata: a\n\ndata: b\n\n',
    want: [
      { id: '1', digest: '<a>' },
      { id: null, digest: '<b>' },
    ],
  },
  { name: 'an empty id, which clears the cursor', text: 'id\ndata: a\n\n', want: [{ id: '', digest: '<a>' }] },
  { name: 'lines of data joined', text: 'data: a\ndata:b\n\n', want: [{ id: null, digest: '<a\nb>' }] },
  { name: 'comments are nothing', text: ': keepalive\n\n: more\n\n', want: [] },
  {
    name: 'CRLF and CR',
    text: 'id: 1\r\ndata: a\r\n\r\nid: 2\rdata: b\r\r',
    want: [
      { id: '1', digest: '<a>' },
      { id: '2', digest: '<b>' },
    ],
  },
  { name: 'an unfinished event is none', text: 'id: 1\ndata: a\n', want: [] },
])('reads $name', ({ text, want }) => expect(scan(text)).toEqual(want));

test('however the bytes are split, the events are the same', () => {
  const text = 'id: é1\ndata: ü\r\n\r\n: c\n\nid: 2\rdata: b\rdata: c\r\rdata: d\n\n';
  const whole = scan(text);
  fc.assert(
    fc.property(fc.uniqueArray(fc.integer({ min: 1, max: bytes(text).length - 1 })), (cuts) => {
      const all = bytes(text);
      const scanner = new SseScanner((data) => `<${data}>`);
      const bounds = [0, ...cuts.sort((a, b) => a - b), all.length];
      const events = bounds.slice(1).flatMap((end, index) => scanner.feed(all.slice(bounds[index], end)));
      expect(events).toEqual(whole);
    }),
  );
});
