import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decide } from '@/lib/resume/decide';
import type { FloorRule } from '@/lib/resume/types';
import type { NewEvent } from '@/lib/session-log/event-ring';
import { locateCursor } from '@/lib/session-log/locate-cursor';
import { ReplayCheck } from '@/lib/session-log/replay-check';
import { SessionLog, STREAMS_MAX } from '@/lib/session-log/session-log';
import { EventsGone, type Retention } from '@/lib/session-log/stream-log';
import type { SseBlock } from '@/lib/sse/block-scanner';

const ROOMY: Retention = { events: 1000, bytes: 1_000_000, ttlMs: 60_000 };

const event = (id: string | null, more: Partial<NewEvent> = {}): NewEvent => ({
  id,
  fingerprint: id === null ? 0 : [...id].reduce((sum, char) => sum * 31 + char.charCodeAt(0), 7) % 1_000_003,
  bytes: 10,
  frame: null,
  isAnswer: false,
  isOwnId: false,
  at: 0,
  ...more,
});
const session = (retention = ROOMY, isHeardFromStart = true) => new SessionLog('g', 'alice', isHeardFromStart, 0, retention);

function reasonFor(log: SessionLog | null, lastEventId: string | null, floor: FloorRule = 'successor', principal = 'alice'): string {
  const located = locateCursor(log, principal, lastEventId, '2025-11-25');
  return decide({ floor }, located.session, located.log, located.request).reason;
}

function emit(log: SessionLog, stream: string, ids: readonly (string | null)[], more: Partial<NewEvent> = {}): void {
  for (const id of ids) log.append(stream, stream === 'get' ? null : '1', event(id, more));
}

test.each<[string, readonly [string, string][], string, string]>([
  [
    'a cursor at the head',
    [
      ['get', 'a'],
      ['get', 'b'],
    ],
    'b',
    'ok',
  ],
  [
    'a cursor with everything after it retained',
    [
      ['get', 'a'],
      ['get', 'b'],
      ['get', 'c'],
    ],
    'a',
    'ok',
  ],
  ['an id never issued', [['get', 'a']], 'zz', 'unknown_cursor'],
  [
    'an id that two streams issued names no stream',
    [
      ['p1', '0'],
      ['p2', '0'],
    ],
    '0',
    'unknown_cursor',
  ],
  [
    'an id issued twice with equal data',
    [
      ['get', 'a'],
      ['get', 'b'],
      ['get', 'b'],
      ['get', 'c'],
    ],
    'b',
    'unknown_cursor',
  ],
  [
    'a cursor before an id that was issued twice',
    [
      ['get', 'a'],
      ['get', 'b'],
      ['get', 'b'],
    ],
    'a',
    'id_reused',
  ],
  [
    'a cursor after it',
    [
      ['get', 'a'],
      ['get', 'a'],
      ['get', 'b'],
    ],
    'b',
    'ok',
  ],
])('%s', (_case, emitted, cursor, reason) => {
  const log = session();
  for (const [stream, id] of emitted) emit(log, stream, [id]);
  expect(reasonFor(log, cursor)).toBe(reason);
});

test('the floor rules differ by exactly the newest evicted event', () => {
  const log = session({ ...ROOMY, events: 2 });
  emit(log, 'get', ['a', 'b', 'c', 'd']);
  expect(['a', 'b', 'c', 'd'].map((id) => reasonFor(log, id))).toEqual(['below_floor', 'ok', 'ok', 'ok']);
  expect(['a', 'b', 'c', 'd'].map((id) => reasonFor(log, id, 'retained'))).toEqual(['below_floor', 'below_floor', 'ok', 'ok']);
});

test.each<[string, Retention, Partial<NewEvent>]>([
  ['bytes', { ...ROOMY, bytes: 25 }, {}],
  ['count', { ...ROOMY, events: 2 }, {}],
])('the %s limit moves the floor', (_limit, retention, more) => {
  const log = session(retention);
  emit(log, 'get', ['a', 'b', 'c', 'd'], more);
  expect(log.stream('get')).toMatchObject({ floor: 3, head: 4 });
});

test('age moves the floor up to an empty log, and the head stays', () => {
  const log = session();
  emit(log, 'get', ['a', 'b']);
  log.trim(ROOMY.ttlMs);
  expect(log.stream('get')).toMatchObject({ floor: 1, head: 2 });
  log.trim(ROOMY.ttlMs + 1);
  expect(log.stream('get')).toMatchObject({ floor: 3, head: 2 });
  expect(reasonFor(log, 'b')).toBe('ok');
  expect(reasonFor(log, 'a')).toBe('below_floor');
});

test('an event that could not be kept is a hole for every cursor before it', () => {
  const log = session();
  emit(log, 'get', ['a', 'b', 'c']);
  log.stream('get')?.markHole(2);
  expect(['a', 'b', 'c'].map((id) => reasonFor(log, id))).toEqual(['hole', 'ok', 'ok']);
});

test('an unknown loss after the head is a hole for every cursor so far', () => {
  const log = session();
  emit(log, 'get', ['a', 'b']);
  log.stream('get')?.appendLoss(0);
  emit(log, 'get', ['c']);
  expect(['a', 'b', 'c'].map((id) => reasonFor(log, id))).toEqual(['hole', 'hole', 'ok']);
});

test('the same id with other data in one stream starts a generation', () => {
  const log = session();
  emit(log, 'get', ['0', '1', '2']);
  const before = log.generation;
  expect(log.append('get', null, event('1', { fingerprint: 99 })).startedGeneration).toBe(true);
  expect(log.generation).not.toBe(before);
  expect(reasonFor(log, '2')).toBe('generation_mismatch');
  expect(reasonFor(log, '1')).toBe('generation_unknown');
});

test('a numbering that overtakes an old cursor does not make it valid', () => {
  const log = session();
  emit(
    log,
    'get',
    Array.from({ length: 50 }, (_, i) => String(i + 1)),
  );
  log.startGeneration();
  emit(
    log,
    'get',
    Array.from({ length: 60 }, (_, i) => String(i + 1)),
  );
  expect(reasonFor(log, '50')).toBe('generation_unknown');
  expect(reasonFor(log, '60')).toBe('ok');
});

const counted = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => String(from + i));

test('an id that its stream forgot and another one issues again passes for neither', () => {
  const log = session({ ...ROOMY, events: 2 });
  emit(log, 'p1', ['x0', 'x1', 'x2', 'x3', 'x4', 'x5', 'x6']);
  emit(log, 'p2', ['x0', 'x7']);
  expect(['x0', 'x7', 'x6'].map((id) => reasonFor(log, id))).toEqual(['generation_unknown', 'ok', 'ok']);
});

test.each([
  ['UUIDs', '10000000-0000-4000-8000-000000000001', 'f0000000-0000-4000-8000-000000000009', '80000000-0000-4000-8000-000000000005'],
  ['counts of streams with names of their own', '1c0ffee:1', 'fc0ffee:2', '8c0ffee:1'],
])('what a dropped stream issued puts no id in doubt that only lies between: %s', (_case, first, last, between) => {
  const log = session({ ...ROOMY, events: 1, ttlMs: 1 });
  emit(log, 'p1', [first, last], { isAnswer: true });
  log.trim(10);
  emit(log, 'p2', [between], { at: 10 });
  expect(reasonFor(log, between)).toBe('ok');
  log.trim(12);
  expect([first, last, between, `${between}0`].map((id) => reasonFor(log, id, 'retained'))).toEqual([
    ...Array(3).fill('below_floor'),
    'unknown_cursor',
  ]);
});

test('ids that were forgotten before a rebuild do not pass when they are issued again', () => {
  const log = session({ ...ROOMY, events: 3 });
  emit(log, 'get', counted(1, 50));
  log.startGeneration();
  emit(log, 'get', counted(1, 3));
  expect(counted(1, 3).map((id) => reasonFor(log, id))).toEqual(Array(3).fill('generation_unknown'));
  emit(log, 'get', counted(4, 52));
  expect(['50', '51', '52'].map((id) => reasonFor(log, id))).toEqual(['generation_unknown', 'ok', 'ok']);
});

test('a count that falls below what its stream remembers makes every cursor before it doubtful', () => {
  const log = session({ ...ROOMY, events: 3 });
  emit(log, 'get', counted(1, 50));
  expect(log.append('get', null, event('3')).startedGeneration).toBe(true);
  emit(log, 'get', counted(4, 6));
  expect(['48', '50', '3', '6'].map((id) => reasonFor(log, id))).toEqual(Array(4).fill('generation_unknown'));
});

test('numbers of other streams, and ids that only look like a count, begin no generation', () => {
  const log = session();
  emit(log, 'get', ['10', '11', '12']);
  emit(log, 'p1', ['1', '2']);
  emit(log, 'p2', ['b9', 'b8', 'a7']);
  emit(log, 'get', ['13']);
  expect(log.generation).toBe('g.1');
});

test('no cursor whose id was issued twice in a session ever passes, over streams, limits and rebuilds', () => {
  const step = fc.record({
    act: fc.constantFrom('emit', 'emit', 'emit', 'emit', 'emit', 'emit', 'rebuild', 'count anew'),
    stream: fc.constantFrom('get', 'get', 'p1', 'p2'),
    id: fc.option(fc.nat(40), { freq: 4 }),
    isAnswer: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 120 }), fc.integer({ min: 1, max: 5 }), (steps, events) => {
      const log = session({ ...ROOMY, events });
      const issued = new Map<string, number>();
      let next = 0;
      for (const { act, stream, id: fixed, isAnswer } of steps) {
        if (act === 'rebuild') log.startGeneration();
        else if (act === 'count anew') next = 0;
        else {
          const id = String(fixed ?? next++);
          emit(log, stream, [id], { isAnswer, fingerprint: 1 });
          issued.set(id, (issued.get(id) ?? 0) + 1);
        }
      }
      for (const [id, times] of issued) if (times > 1) expect([id, reasonFor(log, id)]).not.toEqual([id, 'ok']);
    }),
    { numRuns: 500 },
  );
});

test('texts of ids and cursors of earlier generations count as held', () => {
  const log = session();
  const long = (i: number) => `${i}`.padStart(1000, 'x');
  emit(
    log,
    'get',
    Array.from({ length: 20 }, (_, i) => long(i)),
  );
  expect(log.held).toBeGreaterThan(20_000);
  log.startGeneration();
  expect(log.held).toBeGreaterThan(20_000);
  expect(reasonFor(log, long(0))).toBe('generation_mismatch');
  log.end(0);
  expect(log.held).toBe(0);
});

test('a session that was alive before the log began vouches only for what it heard and no count can have issued before', () => {
  const log = session(ROOMY, false);
  const unique = '0198c0de-7d1a-7e6b';
  emit(log, 'get', ['57', 'e58', unique]);
  expect(['57', 'e58', unique, 'earlier'].map((id) => reasonFor(log, id))).toEqual([
    'generation_unknown',
    'generation_unknown',
    'ok',
    'generation_unknown',
  ]);
});

test('to another principal a session is unknown, with the same facts as one that never existed', () => {
  const log = session();
  emit(log, 'get', ['a']);
  expect(locateCursor(log, 'mallory', 'a', null)).toEqual(locateCursor(null, 'mallory', 'a', null));
  expect(reasonFor(log, 'a', 'successor', 'mallory')).toBe('session_unknown');
});

test('ended and fenced sessions answer as evicted', () => {
  const log = session();
  emit(log, 'get', ['a']);
  log.isFenced = true;
  expect(reasonFor(log, 'a')).toBe('session_evicted');
  log.isFenced = false;
  log.end(1);
  expect(reasonFor(log, 'a')).toBe('session_evicted');
});

test('the waiting call is known from a cursor of its stream, also across a rebuild, until it is answered', () => {
  const log = session();
  emit(log, 'p', ['a']);
  expect(locateCursor(log, 'alice', 'a', null).pendingRequestId).toBe('1');
  log.startGeneration();
  expect(locateCursor(log, 'alice', 'a', null).pendingRequestId).toBe('1');
  emit(log, 'q', ['b']);
  emit(log, 'q', ['c'], { isAnswer: true });
  expect(locateCursor(log, 'alice', 'b', null).pendingRequestId).toBeNull();
});

test('streams are bounded and an answered one goes first', () => {
  const log = session();
  emit(log, 'open', ['o']);
  for (let i = 0; i < STREAMS_MAX; i++) emit(log, `p${i}`, [`id${i}`], { isAnswer: true, at: i });
  expect(log.listStreams()).toHaveLength(STREAMS_MAX);
  expect(log.stream('open')).not.toBeNull();
  expect([reasonFor(log, 'id0'), reasonFor(log, 'id0', 'retained'), reasonFor(log, 'idx')]).toEqual([
    'below_floor',
    'below_floor',
    'unknown_cursor',
  ]);
  log.startGeneration();
  expect(reasonFor(log, 'id0')).toBe('generation_unknown');
});

test('a cursor is accepted exactly when every event after it is retained, for any mix of streams and limits', () => {
  const step = fc.record({ stream: fc.constantFrom('get', 'p1', 'p2'), bytes: fc.integer({ min: 1, max: 40 }), wait: fc.nat(30) });
  const limits = fc.record({
    events: fc.integer({ min: 1, max: 12 }),
    bytes: fc.integer({ min: 20, max: 200 }),
    ttlMs: fc.integer({ min: 10, max: 400 }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), limits, (steps, retention) => {
      const log = session(retention);
      let now = 0;
      const issued: { id: string; stream: string; bytes: number; at: number }[] = [];
      for (const [i, { stream, bytes, wait }] of steps.entries()) {
        now += wait;
        emit(log, stream, [`e${i}`], { bytes, at: now });
        issued.push({ id: `e${i}`, stream, bytes, at: now });
      }
      log.trim(now);
      for (const { id, stream } of issued) {
        const own = issued.filter((one) => one.stream === stream);
        const after = own.slice(own.findIndex((one) => one.id === id) + 1);
        const fits =
          after.length <= retention.events &&
          after.reduce((sum, one) => sum + one.bytes, 0) <= retention.bytes &&
          after.every((one) => now - one.at <= retention.ttlMs);
        const reason = reasonFor(log, id);
        if (fits) expect(reason).toBe('ok');
        else expect(['below_floor', 'unknown_cursor']).toContain(reason);
        if (reason === 'ok')
          expect(
            log
              .stream(stream)
              ?.after(Number(locateCursor(log, 'alice', id, null).request.cursor))
              .map((one) => one.id),
          ).toEqual(after.map((one) => one.id));
      }
    }),
  );
});

test('events are given out after a cursor that loses none of them, and never after one that does', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 8 }),
      fc.integer({ min: 0, max: 40 }),
      fc.integer({ min: 0, max: 45 }),
      (events, count, cursor) => {
        const log = session({ ...ROOMY, events });
        emit(
          log,
          'get',
          Array.from({ length: count }, (_, i) => `e${i + 1}`),
        );
        const stream = log.openStream('get', null, 0);
        const given = () => stream.after(cursor).map(({ position }) => position);
        if (cursor < stream.floor - 1) expect(given).toThrow(EventsGone);
        else expect(given()).toEqual(Array.from({ length: Math.max(0, count - cursor) }, (_, i) => cursor + 1 + i));
      },
    ),
  );
});

const block = (id: string | null, fingerprint?: number): SseBlock => ({
  id,
  idTooLong: false,
  dataLines: 1,
  dataBytes: 1,
  fingerprint: fingerprint ?? event(id).fingerprint,
  blankAt: 0,
  end: 1,
});

test.each<[string, SseBlock[], string]>([
  ['every event in order, then new ones', [block('b'), block('c'), block('new')], 'replayed replayed new'],
  ['an event left out', [block('c')], 'missing'],
  ['a new event before the owed ones', [block('new')], 'missing'],
  ['the cursor itself again', [block('a')], 'repeated'],
  ['an event twice', [block('b'), block('b')], 'replayed repeated'],
  ['another stream', [block('x')], 'foreign'],
  ['another stream after the owed ones', [block('b'), block('c'), block('x')], 'replayed replayed foreign'],
  ['other data under its id', [block('b', 1)], 'altered'],
])('a replay is checked event by event: %s', (_case, blocks, expected) => {
  const log = session();
  emit(log, 'get', ['a', 'b', 'c']);
  emit(log, 'p', ['x']);
  const stream = log.openStream('get', null, 0);
  const check = new ReplayCheck(log, stream, 1);
  const steps = blocks.map((one) => check.check(one));
  expect(steps.map((step) => (step.kind === 'fault' ? step.fault : step.kind)).join(' ')).toBe(expected);
});

describe('ids that begin anew with a generation', () => {
  const numbers = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, i) => String(first + i));

  test('may be cursors of before that nobody remembers: doubt, until the numbering passes them', () => {
    const log = session({ ...ROOMY, events: 2 });
    emit(log, 'get', numbers(1, 20));
    log.startGeneration();
    emit(log, 'get', numbers(1, 5));
    expect([reasonFor(log, '4'), reasonFor(log, '5')]).toEqual(['generation_unknown', 'generation_unknown']);
    emit(log, 'get', numbers(6, 22));
    expect([reasonFor(log, '20'), reasonFor(log, '21'), reasonFor(log, '22')]).toEqual(['generation_unknown', 'ok', 'ok']);
  });

  test('are in doubt whatever they are where those of before did not rise', () => {
    const log = session({ ...ROOMY, events: 2 });
    emit(log, 'get', ['c', 'a', 'b', 'f', 'e', 'd', 'g']);
    log.startGeneration();
    emit(log, 'get', ['x', 'y']);
    expect(reasonFor(log, 'x')).toBe('generation_unknown');
  });

  test('are none of before where all of those are remembered', () => {
    const log = session();
    emit(log, 'get', ['c', 'a', 'b']);
    log.startGeneration();
    emit(log, 'get', ['x', 'y']);
    expect([reasonFor(log, 'x'), reasonFor(log, 'a')]).toEqual(['ok', 'generation_mismatch']);
  });

  test('ids that fell out of what is remembered of several generations are not taken for new ones', () => {
    const log = session({ ...ROOMY, events: 4 });
    emit(log, 'get', numbers(1, 8));
    log.startGeneration();
    emit(
      log,
      'get',
      numbers(1, 8).map((id) => `1${id}`),
    );
    log.startGeneration();
    emit(log, 'get', ['3', '99']);
    expect([reasonFor(log, '3'), reasonFor(log, '99')]).toEqual(['generation_unknown', 'ok']);
  });
});
