import { expect, test } from 'vitest';
import { SessionEventLog } from '../log/session-event-log.js';
import { eventStoreOf } from './log-event-store.js';

test('what is appended during a replay is replayed too, since the live tail is attached only after it', async () => {
  const log = new SessionEventLog<string>({ sessionId: 's' });
  const store = eventStoreOf(log);
  const cursor = await store.storeEvent('a', 'seen');
  await store.storeEvent('a', 'missed');
  const sent: string[] = [];
  const stream = await store.replayEventsAfter(cursor, {
    send: async (_id, message) => {
      sent.push(message);
      if (message === 'missed') log.append('a', 'meanwhile');
    },
  });
  expect([stream, sent]).toEqual(['a', ['missed', 'meanwhile']]);
});

test('the lookup finds a stream only for a cursor that can be served whole', async () => {
  const log = new SessionEventLog<string>({ sessionId: 's', maxEvents: 1 });
  const store = eventStoreOf(log);
  const [below, newestEvicted] = [log.append('a', '1'), log.append('a', '2')];
  log.append('a', '3');
  expect([await store.getStreamIdForEventId(below), await store.getStreamIdForEventId(newestEvicted)]).toEqual([undefined, 'a']);
  await expect(store.replayEventsAfter(below, { send: async () => undefined })).rejects.toThrow('resume unavailable, below_floor');
});
