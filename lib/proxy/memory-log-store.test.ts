import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import { MemoryLogStore } from '@/lib/proxy/memory-log-store';
import { decide } from '@/lib/resume/decide';
import type { NewEvent } from '@/lib/session-log/event-ring';
import { locateCursor } from '@/lib/session-log/locate-cursor';
import type { Retention } from '@/lib/session-log/stream-log';

const stores: MemoryLogStore[] = [];
afterEach(async () => {
  for (const store of stores.splice(0)) await store.close();
});

const ROOMY: Retention = { events: 1000, bytes: 1e6, ttlMs: 1e9, sessionBytes: 1e9 };

function open(limits: { bytes?: number; sessions?: number }, retention = ROOMY) {
  const time = { now: 0 };
  const store = new MemoryLogStore(() => time.now, { bytes: 1e9, sessions: 1000, ...limits });
  stores.push(store);
  const begin = (key: string) => store.begin(key, { principal: 'p', isHeardFromStart: true, retention, incarnation: 1, instance: null });
  const append = (key: string, stream: string, id: string, bytes: number) => {
    const event: NewEvent = { id, fingerprint: 1, bytes, frame: new Uint8Array(bytes), isAnswer: false, isOwnId: false, at: ++time.now };
    store.append(key, stream, null, [event]);
  };
  const reasonOf = (key: string, cursor: string) => {
    const { session, log, request } = locateCursor(store.find(key), 'p', cursor, null);
    return decide({ floor: 'successor' }, session, log, request).reason;
  };
  return { store, time, begin, append, reasonOf };
}

test('where a process holds too much, the longest silent session gives up first, whenever it began, and its floor says so', () => {
  const { store, begin, append, reasonOf } = open({ bytes: 20_000 });
  for (const key of ['old', 'middle', 'new']) begin(key);
  for (let i = 0; i < 5; i++) append('middle', 'get', `m${i}`, 1000);
  for (let i = 0; i < 5; i++) append('new', 'get', `n${i}`, 1000);
  for (let i = 0; i < 12; i++) append('old', 'get', `o${i + 10}`, 1000);
  expect([reasonOf('middle', 'm1'), reasonOf('middle', 'm4')]).toEqual(['below_floor', 'ok']);
  expect([reasonOf('new', 'n0'), reasonOf('old', 'o10')]).toEqual(['ok', 'ok']);
  expect(store.memoryHeld).toMatchObject({ sessions: 3, bytesMax: 20_000, givenUp: 5 });
  expect(store.memoryHeld.bytes).toBeLessThanOrEqual(20_000);
});

test('a session that is asked for is not silent', () => {
  const { store, time, begin, append, reasonOf } = open({ bytes: 12_000 });
  for (const key of ['asked', 'quiet']) begin(key);
  for (let i = 0; i < 5; i++) append('asked', 'get', `a${i}`, 1000);
  for (let i = 0; i < 5; i++) append('quiet', 'get', `q${i}`, 1000);
  time.now++;
  store.find('asked');
  begin('busy');
  for (let i = 0; i < 3; i++) append('busy', 'get', `b${i}`, 1000);
  expect([reasonOf('asked', 'a0'), reasonOf('quiet', 'q0')]).toEqual(['ok', 'below_floor']);
});

test('of too many sessions the longest silent are forgotten, not those that began first', () => {
  const { store, begin, append, time } = open({ sessions: 3 });
  for (const key of ['first', 'second', 'third']) {
    begin(key);
    time.now++;
  }
  append('first', 'get', 'a', 10);
  begin('fourth');
  expect([store.find('first') !== null, store.find('second'), store.find('third') !== null]).toEqual([true, null, true]);
});

test('where a session holds too much, its longest silent stream gives up first', () => {
  const { begin, append, reasonOf } = open({}, { ...ROOMY, sessionBytes: 10_000 });
  begin('s');
  for (let i = 0; i < 4; i++) append('s', 'quiet', `q${i}`, 1000);
  for (let i = 0; i < 7; i++) append('s', 'busy', `x${i}`, 1000);
  expect([reasonOf('s', 'q0'), reasonOf('s', 'x0')]).toEqual(['below_floor', 'ok']);
});

test('whatever is appended, bounds hold, no frame above a floor is missing, and the sum is that of the parts', () => {
  const step = fc.record({
    key: fc.constantFrom('a', 'b', 'c'),
    stream: fc.constantFrom('x', 'y', 'z'),
    bytes: fc.integer({ min: 1, max: 3000 }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const { store, begin, append } = open({ bytes: 60_000 }, { events: 20, bytes: 15_000, ttlMs: 1e9, sessionBytes: 25_000 });
      const keys = ['a', 'b', 'c'];
      for (const key of keys) begin(key);
      for (const [i, { key, stream, bytes }] of steps.entries()) append(key, stream, `${key}${stream}${i}`, bytes);
      const logs = keys.flatMap((key) => store.find(key) ?? []);
      expect(logs.reduce((sum, log) => sum + log.held, 0)).toBe(store.memoryHeld.bytes);
      expect(store.memoryHeld.bytes).toBeLessThanOrEqual(60_000);
      for (const log of logs) {
        expect(log.listStreams().reduce((sum, stream) => sum + stream.frameBytes, 0)).toBeLessThanOrEqual(25_000);
        expect(log.held).toBeGreaterThanOrEqual(log.listStreams().reduce((sum, stream) => sum + stream.held, 0));
        for (const stream of log.listStreams()) expect(stream.after(stream.floor - 1).every(({ frame }) => frame !== null)).toBe(true);
      }
    }),
  );
});
