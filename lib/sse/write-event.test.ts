import { createParser } from 'eventsource-parser';
import { expect, test } from 'vitest';
import { writeEvent } from '@/lib/sse/write-event';

test('a written event is read back whole', () => {
  const events: unknown[] = [];
  createParser({ onEvent: (event) => events.push(event) }).feed(writeEvent({ id: 'end.1', data: '{"jsonrpc":"2.0"}' }));
  expect(events).toEqual([{ event: 'message', id: 'end.1', data: '{"jsonrpc":"2.0"}' }]);
});

test.each(['a\nb', 'a\rb', 'a\0b'])('an id that would forge a field is refused: %j', (id) => {
  expect(() => writeEvent({ id, data: '{}' })).toThrow(TypeError);
});
