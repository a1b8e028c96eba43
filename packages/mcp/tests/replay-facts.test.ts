import { expect, test } from 'vitest';
import { SessionEventLog } from '../src/index.js';
import { judgementOf, startTelemetry } from './stack';

test('a replay that takes in events of its own time is judged by the head it reached', async () => {
  const { receiver, tidemark } = await startTelemetry();
  const store = tidemark.eventStore(new SessionEventLog<string>({ sessionId: 's' }), { sessionId: 's' });
  const cursor = await store.storeEvent('a', 'seen');
  await store.storeEvent('a', 'missed');
  let isFirst = true;
  const send = async () => {
    if (isFirst) {
      isFirst = false;
      await store.storeEvent('a', 'meanwhile');
    }
  };
  await store.replayEventsAfter(cursor, { send });
  await tidemark.flush();
  const [attempt] = receiver.of('resume_attempt');
  expect(attempt).toMatchObject({ cursor: 1, head: 3, replayed: { count: 2 } });
  expect(attempt && judgementOf(attempt).assessment).toBe('correct');
});

test.each([
  { name: 'told through evicted', tell: true, want: { floor: 3, holes: undefined } },
  { name: 'found by asking the store', tell: false, want: { floor: 3, holes: [[5, 5]] } },
])('evictions of a foreign store, $name', async ({ tell, want }) => {
  const { receiver, tidemark } = await startTelemetry();
  const events: string[] = [];
  const gone = new Set<string>();
  const foreign = {
    storeEvent: async () => `e${events.push('')}`,
    replayEventsAfter: async () => 'a',
  };
  const store = tidemark.eventStore(foreign, {
    sessionId: 's',
    ...(tell ? { tellsEvictions: true } : { isRetained: (id) => !gone.has(id) }),
  });
  for (let n = 0; n < 6; n++) await store.storeEvent('a', 'x');
  if (tell) store.evicted(['e1', 'e2'], 'memory');
  else for (const id of ['e1', 'e2', 'e5']) gone.add(id);
  await store.replayEventsAfter('e2', { send: async () => undefined });
  await tidemark.flush();
  const [attempt] = receiver.of('resume_attempt');
  expect({ floor: attempt?.floor, holes: attempt?.holes }).toEqual(want);
  expect(receiver.of('evict')[0]).toMatchObject({ stream: 'a', floor: 'e3' });
  if (!tell) expect(receiver.of('evict')[1]).toMatchObject({ event_ids: ['e5'] });
  expect(receiver.problems).toEqual([]);
});
