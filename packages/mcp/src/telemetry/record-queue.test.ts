import { expect, test } from 'vitest';
import { RecordQueue } from './record-queue.js';

test('for a record above the byte bound nothing gives way', () => {
  const queue = new RecordQueue(10, 30, 'drop_oldest');
  const dropped = ['{"n":1}', '{"n":2}', `{"n":"${'x'.repeat(30)}"}`].map((line) => queue.push(line));
  expect([dropped, queue.take(10, 1000).lines]).toEqual([
    [0, 0, 1],
    ['{"n":1}', '{"n":2}'],
  ]);
});
