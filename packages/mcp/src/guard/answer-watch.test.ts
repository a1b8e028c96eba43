import fc from 'fast-check';
import { expect, test } from 'vitest';
import { beginsWithEvent, firstEventId } from './answer-watch.js';

const id = fc.string({ unit: fc.constantFrom('a', '1', '.', ':', ' ', 'd'), minLength: 1, maxLength: 6 });
const line = fc.oneof(
  id.map((value) => `id: ${value}`),
  id.map((value) => `id:${value}`),
  fc.constantFrom('event: message', 'data: {}', ': comment', 'id', '', 'data: id: 1', 'xid: 1'),
);
const piece = fc.array(line, { maxLength: 5 }).map((lines) => `${lines.join('\n')}\n\n`);

test('an id that is recognised without reading is the one that reading finds', () => {
  fc.assert(
    fc.property(piece, id, (text, eventId) => {
      if (beginsWithEvent(Buffer.from(text), eventId)) expect(firstEventId(text)).toBe(eventId.trimEnd());
    }),
  );
});

test.each([
  ['id: s.g.1.7\ndata: \n\n', 's.g.1.7', true],
  ['event: message\nid: s.g.1.7\ndata: {}\n\n', 's.g.1.7', true],
  ['event: message\nid: s.g.1.70\ndata: {}\n\n', 's.g.1.7', false],
  ['event: message\nid: s.g.1.\ndata: {}\n\n', 's.g.1.7', false],
  ['event: message\ndata: {}\nid: s.g.1.7\n\n', 's.g.1.7', false],
  ['data: id: 7\n\n', '7', false],
])('%j begins with event %s: %s', (text, eventId, expected) => {
  expect(beginsWithEvent(Buffer.from(text), eventId)).toBe(expected);
});
