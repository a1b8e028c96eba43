import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { STANDALONE_STREAM } from '../store/event-store.js';
import { ResumeGapError } from './resume-gap-error.js';
import { SessionEventLog, type SessionEventLogOptions } from './session-event-log.js';

function logOf(options: Partial<SessionEventLogOptions> = {}): SessionEventLog<number> {
  return new SessionEventLog<number>({ sessionId: 'session-a', ...options });
}

function fill(log: SessionEventLog<number>, stream: string, count: number): string[] {
  return Array.from({ length: count }, (_, n) => log.append(stream, n));
}

const at = (ids: readonly string[], index: number): string => ids[index] ?? 'no such id';

function gapOf(act: () => unknown): ResumeGapError {
  try {
    act();
  } catch (cause) {
    if (cause instanceof ResumeGapError) return cause;
    throw cause;
  }
  throw new Error('was served');
}

/** Every cursor of a stream is either served to its end or refused with the exact count that is missing. */
function expectWhole(log: SessionEventLog<number>, ids: readonly string[], maxEvents: number): void {
  for (const [index, id] of ids.entries()) {
    const missing = ids.length - maxEvents - (index + 1);
    if (missing > 0) expect(gapOf(() => log.resumeFrom(id)).decision.gap?.count).toBe(BigInt(missing));
    else expect(log.resumeFrom(id).events.map((event) => event.id)).toEqual(ids.slice(index + 1));
  }
}

describe('SessionEventLog', () => {
  test('replays exactly what follows the cursor on its own stream', () => {
    const log = logOf();
    const a = fill(log, 'a', 3);
    fill(log, 'b', 2);
    const run = log.resumeFrom(at(a, 0));
    expect(run.stream).toBe('a');
    expect(run.events.map((event) => event.id)).toEqual(a.slice(1));
  });

  test.each([
    { name: 'the newest evicted event resumes whole', cursor: 2, want: 3 },
    { name: 'the floor itself', cursor: 3, want: 2 },
    { name: 'the head owes nothing', cursor: 5, want: 0 },
  ])('with 2 of 5 events evicted, $name', ({ cursor, want }) => {
    const log = logOf({ maxEvents: 3 });
    const ids = fill(log, 'a', 5);
    expect(log.resumeFrom(at(ids, cursor - 1)).events).toHaveLength(want);
  });

  test('refuses one event further back, with the count and the earliest retained id', () => {
    const log = logOf({ maxEvents: 3 });
    const ids = fill(log, 'a', 5);
    const gap = gapOf(() => log.resumeFrom(at(ids, 0)));
    expect([gap.reason, gap.decision.gap?.count, gap.earliestRetainedId]).toEqual(['below_floor', 1n, at(ids, 2)]);
    expect(log.floorId('a')).toBe(at(ids, 2));
  });

  test('the retained floor rule asks for the cursor itself', () => {
    const log = logOf({ maxEvents: 3, floorRule: 'retained' });
    const ids = fill(log, 'a', 5);
    expect(gapOf(() => log.resumeFrom(at(ids, 1))).reason).toBe('below_floor');
    expect(log.resumeFrom(at(ids, 2)).events).toHaveLength(2);
  });

  test('an id of another session, another text and another stream serial get one answer', () => {
    const log = logOf();
    const [mine] = fill(log, 'a', 1);
    const other = new SessionEventLog<number>({ sessionId: 'session-b', generation: log.generation });
    const [foreign] = fill(other, 'a', 1);
    for (const id of [foreign ?? '', 'x', `${mine}x`, (mine ?? '').replace('.0.', '.7.')]) {
      const gap = gapOf(() => log.resumeFrom(id));
      expect([gap.reason, gap.earliestRetainedId, gap.decision.gap]).toEqual(['unknown_cursor', null, null]);
    }
  });

  test('an id of the same session before it was rebuilt is another generation, even in range', () => {
    const before = fill(logOf(), 'a', 2);
    const rebuilt = logOf();
    fill(rebuilt, 'a', 5);
    expect(gapOf(() => rebuilt.resumeFrom(at(before, 1))).reason).toBe('generation_mismatch');
  });

  test('an id above the head is refused, never clamped', () => {
    const log = logOf({ generation: 'g1' });
    const [first] = fill(log, 'a', 1);
    expect(gapOf(() => log.resumeFrom((first ?? '').replace(/1$/, '2'))).reason).toBe('ahead_of_head');
  });

  test('bytes are bounded over all streams, oldest first', () => {
    const log = logOf({ maxBytes: 4 });
    const a = fill(log, 'a', 3);
    const b = fill(log, 'b', 3);
    expect([log.floorId('a'), log.floorId('b')]).toEqual([at(a, 2), at(b, 0)]);
  });

  test('an event larger than the whole bound is not kept and its cursor is the head', () => {
    const log = new SessionEventLog<string>({ sessionId: 's', maxBytes: 10 });
    const id = log.append('a', 'x'.repeat(50));
    expect([log.floorId('a'), log.headId('a'), log.resumeFrom(id).events]).toEqual([null, id, []]);
  });

  test('age evicts without any further event, and the head is still whole', () => {
    let now = 1000;
    const log = logOf({ maxAgeMs: 100, now: () => now });
    const ids = fill(log, 'a', 2);
    now = 1101;
    expect(log.floorId('a')).toBeNull();
    expect(log.resumeFrom(at(ids, 1)).events).toEqual([]);
    expect(gapOf(() => log.resumeFrom(at(ids, 0))).decision.gap?.count).toBe(1n);
  });

  test('the stream idle for longest is forgotten, never the standalone one, and its cursors are refused', () => {
    const log = logOf({ maxStreams: 2 });
    const [standalone] = fill(log, STANDALONE_STREAM, 1);
    const [old] = fill(log, 'a', 1);
    fill(log, 'b', 1);
    expect(gapOf(() => log.resumeFrom(old ?? '')).reason).toBe('unknown_cursor');
    expect(log.resumeFrom(standalone ?? '').events).toEqual([]);
  });

  test('tells of every eviction with the oldest event that is left', () => {
    const log = logOf({ maxEvents: 1 });
    const told: unknown[] = [];
    log.onEvict({ evicted: (...facts) => told.push(facts) });
    const ids = fill(log, 'a', 2);
    expect(told).toEqual([['a', at(ids, 1), 'count']]);
  });

  test.each([{ maxEvents: 0 }, { maxBytes: -1 }, { maxAgeMs: Number.NaN }, { generation: 'a.b' }])('refuses the option %j', (options) => {
    expect(() => logOf(options)).toThrow(TypeError);
  });

  test('whatever it serves is contiguous from the cursor to the head', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 60 }), fc.integer({ min: 1, max: 8 }), (streams, maxEvents) => {
        const log = logOf({ maxEvents });
        const issued = new Map<string, string[]>();
        for (const stream of streams) issued.set(stream, [...(issued.get(stream) ?? []), log.append(stream, 0)]);
        for (const ids of issued.values()) expectWhole(log, ids, maxEvents);
      }),
    );
  });
});
