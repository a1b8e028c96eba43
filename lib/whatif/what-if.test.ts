import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseJsonExactly } from '@/lib/base/json';
import { type Change, decodeChange } from '@/lib/whatif/change';
import { casesOfAttempts, whatIf, whatIfSlices } from '@/lib/whatif/what-if';
import type { TelemetryRecord } from '@/lib/wire/schema';

const recorded = (name: string): TelemetryRecord[] => {
  const cases = parseJsonExactly(readFileSync(`tests/histories/${name.slice(0, 3)}.json`, 'utf8')) as {
    case: string;
    records: TelemetryRecord[];
  }[];
  return cases.find((one) => one.case === name)?.records ?? [];
};
const reasons = (records: TelemetryRecord[], change: Change) =>
  whatIf(records, change).items.map(({ index, before, after }) => [index, before.reason, after.reason]);

describe('recorded cases', () => {
  test.each([
    { what: 'S02a served whole by 33 events', name: 'S02a', change: { buffer: { events: 33 } }, changed: [[7, 'below_floor', 'ok']] },
    { what: 'S02a not by 32', name: 'S02a', change: { buffer: { events: 32 } }, changed: [] },
    { what: 'S02c a ring has no holes', name: 'S02c', change: { buffer: { events: 33 } }, changed: [[7, 'hole', 'ok']] },
    {
      what: 'S02c a small ring refuses at the floor',
      name: 'S02c',
      change: { buffer: { events: 24 } },
      changed: [[7, 'hole', 'below_floor']],
    },
    { what: 'F09a under the stricter floor', name: 'F09a', change: { floor: 'retained' as const }, changed: [[7, 'ok', 'below_floor']] },
    { what: 'F09g under the looser one', name: 'F09g', change: { floor: 'successor' as const }, changed: [[7, 'below_floor', 'ok']] },
    { what: 'S01a blind to generations', name: 'S01a', change: { generation_check: false }, changed: [] },
    { what: 'F20a blind to generations', name: 'F20a', change: { generation_check: false }, changed: [[9, 'generation_mismatch', 'ok']] },
    { what: 'F34a counts its own events only', name: 'F34a', change: { buffer: { events: 1 } }, changed: [] },
    { what: 'F34a keeps none', name: 'F34a', change: { buffer: { events: 0 } }, changed: [[11, 'ok', 'below_floor']] },
    { what: 'F50 the stream ended: no buffer brings it back', name: 'F50a', change: { buffer: { events: 1000 } }, changed: [] },
  ])('$what', ({ name, change, changed }) => expect(reasons(recorded(name), change)).toEqual(changed));

  test('a cursor across a restart is refused without the check only for want of numbers', () => {
    expect(whatIf(recorded('S01a'), { generation_check: false })).toMatchObject({ attempts: 2, untested: 2, changed: 0 });
  });
});

/** Ten events of 100 bytes, one a second from second 1; the client has 4 and is away from second 4 to 20. */
const away: TelemetryRecord[] = [
  ...Array.from({ length: 10 }, (_, n): TelemetryRecord => ({ type: 'emit', event_id: String(n + 1), at: (n + 1) * 1000, bytes: 100 })),
  { type: 'evict', floor: '8', at: 11_000 },
  { type: 'deliver', conn: 'c1', event_ids: ['4'], at: 4000 },
  { type: 'close', conn: 'c1', at: 4000 },
  { type: 'resume_attempt', conn: 'c2', verdict: 'refused', status: 409, last_event_id: '4', at: 20_000 },
].toSorted((a, b) => Number(a.at) - Number(b.at)) as TelemetryRecord[];

describe('limits of a buffer', () => {
  test.each([
    { change: { buffer: { events: 6 } }, after: 'ok' },
    { change: { buffer: { events: 5 } }, after: undefined },
    { change: { buffer: { bytes: 600 } }, after: 'ok' },
    { change: { buffer: { bytes: 599 } }, after: undefined },
    { change: { buffer: { ttl_ms: 15_000 } }, after: 'ok' },
    { change: { buffer: { ttl_ms: 14_999 } }, after: undefined },
    { change: { buffer: { events: 100, bytes: 100_000, ttl_ms: 14_999 } }, after: undefined },
    { change: { buffer: {} }, after: 'ok' },
    { change: { reconnect_ms: 6000 }, after: 'ok' },
    { change: { reconnect_ms: 7000 }, after: undefined },
    { change: { reconnect_ms: 16_000, buffer: { ttl_ms: 14_999 } }, after: undefined },
    { change: { reconnect_ms: 6000, buffer: { ttl_ms: 1000 } }, after: undefined },
  ])('$change', ({ change, after }) =>
    expect(whatIf(away, change).items.map((item) => item.after.reason)).toEqual(after === undefined ? [] : [after]),
  );

  test('without sizes, bytes are not measured, and it is said', () => {
    const unsized = away.map((record) => (record.type === 'emit' ? { ...record, bytes: undefined } : record)) as TelemetryRecord[];
    expect(whatIf(unsized, { buffer: { bytes: 600 } })).toMatchObject({ attempts: 1, untested: 1 });
  });
  test('a reconnect later than the last record is not known', () =>
    expect(whatIf(away, { reconnect_ms: 600_000 })).toMatchObject({ untested: 1, changed: 0 }));
});

describe('attempts alone', () => {
  const attempt = (cursor: number, more: object = {}): TelemetryRecord => ({
    type: 'resume_attempt',
    verdict: 'resumed',
    last_event_id: String(cursor),
    cursor,
    floor: 91,
    head: 100,
    generation: 1,
    requested_generation: 1,
    session_state: 'live',
    ...more,
  });
  const over = (records: TelemetryRecord[], change: Change) => drain(whatIfSlices(casesOfAttempts(records), change, { slice: 2 }));

  test('are decided by their own numbers', () =>
    expect(over([attempt(85), attempt(95), { type: 'boot' }, attempt(80)], { buffer: { events: 16 } }).answer).toMatchObject({
      attempts: 3,
      changed: 1,
      items: [{ index: 0, before: { verdict: 'refuse', reason: 'below_floor' }, after: { verdict: 'resume', reason: 'ok' } }],
      before: { resume: 1, refuse: 2 },
      after: { resume: 2, refuse: 1 },
    }));
  test('have no clock to expire by', () => expect(over([attempt(85)], { buffer: { ttl_ms: 1 } }).answer).toMatchObject({ untested: 1 }));
  test('progress comes between slices and a caller can stop', () => {
    const records = Array.from({ length: 7 }, () => attempt(95));
    expect(over(records, {}).progress.map(({ done }) => done)).toEqual([2, 4, 6]);
    const slices = whatIfSlices(casesOfAttempts(records), {}, { slice: 2 });
    slices.next();
    slices.return({ attempts: 0, changed: 0, untested: 0, items: [], before: none, after: none });
    expect(slices.next().done).toBe(true);
  });
  test('the list is bounded, the count is not', () =>
    expect(
      whatIf(
        Array.from({ length: 5 }, () => attempt(85)),
        { buffer: { events: 50 } },
        { itemsMax: 2 },
      ),
    ).toMatchObject({ changed: 5, items: [{}, {}] }));
});

const none = { resume: 0, refuse: 0, fresh: 0, not_applicable: 0 };
function drain(slices: ReturnType<typeof whatIfSlices>) {
  const progress = [];
  for (;;) {
    const step = slices.next();
    if (step.done === true) return { progress, answer: step.value };
    progress.push(step.value);
  }
}

describe('laws', () => {
  const attempts = fc.array(
    fc
      .record({
        floor: fc.nat(60),
        kept: fc.nat(40),
        cursor: fc.nat(110),
        requested: fc.constantFrom(1, 2, null),
        hole: fc.option(fc.nat(30)),
      })
      .map(({ floor, kept, cursor, requested, hole }): TelemetryRecord => {
        const head = floor + kept;
        const holes: [number, number][] = hole === null || floor + hole >= head ? [] : [[floor + hole, head - 1]];
        return {
          type: 'resume_attempt',
          verdict: 'resumed',
          last_event_id: String(cursor),
          cursor,
          floor,
          head,
          holes,
          generation: 1,
          requested_generation: requested,
        };
      }),
    { maxLength: 30 },
  );

  test('no change changes nothing', () => {
    fc.assert(
      fc.property(attempts, (records) => {
        expect(whatIf(records, {}).changed).toBe(0);
      }),
    );
  });
  test('a larger buffer never refuses what a smaller one served', () => {
    fc.assert(
      fc.property(attempts, fc.nat(80), fc.nat(40), (records, events, more) => {
        const small = whatIf(records, { buffer: { events } }).after;
        expect(whatIf(records, { buffer: { events: events + more } }).after.resume).toBeGreaterThanOrEqual(small.resume);
      }),
    );
  });
  test('the stricter floor never serves what the looser one refuses', () => {
    fc.assert(
      fc.property(attempts, (records) => {
        const strict = whatIf(records, { floor: 'retained' }).after;
        expect(strict.resume).toBeLessThanOrEqual(whatIf(records, { floor: 'successor' }).after.resume);
      }),
    );
  });
});

test.each([
  { value: null, path: '' },
  { value: { buffer: { events: -1 } }, path: 'buffer.events' },
  { value: { buffer: { ttl_ms: 1.5 } }, path: 'buffer.ttl_ms' },
  { value: { floor: 'soft' }, path: 'floor' },
  { value: { generation_check: 'no' }, path: 'generation_check' },
])('a bad change names its field: $path', ({ value, path }) => {
  const decoded = decodeChange(value);
  expect(decoded.ok ? 'accepted' : decoded.error.path).toBe(path);
});
