import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createTimeline } from '@/lib/replay/timeline';
import { decodeRecord } from '@/lib/wire/decode-record';
import type { TelemetryRecord } from '@/lib/wire/schema';

const id = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 0, max: 60 }).map(String) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 9 }).map((n) => `E_${n}`) },
  { weight: 1, arbitrary: fc.constantFrom('a', 'b', 'A:3', '') },
);
const run = fc
  .tuple(fc.integer({ min: 0, max: 90 }), fc.integer({ min: 0, max: 9 }))
  .map(([first, more]): [number, number] => [first, first + more]);
const conn = fc.constantFrom('c1', 'c2', 'c3');
const common = fc.record(
  {
    session: fc.constantFrom('S1', 'S2', null),
    stream: fc.constantFrom('get', 'p1'),
    generation: fc.constantFrom(1, 2, 'A', null),
    node: fc.constantFrom('n1', 'n2'),
  },
  { requiredKeys: [] },
);
const oneRecord = fc
  .tuple(
    common,
    fc.oneof(
      { weight: 4, arbitrary: id.map((event_id) => ({ type: 'emit', event_id })) },
      { weight: 3, arbitrary: run.map((range) => ({ type: 'emit', range })) },
      { weight: 1, arbitrary: fc.tuple(id, fc.nat(50)).map(([event_id, position]) => ({ type: 'emit', event_id, position })) },
      { weight: 2, arbitrary: id.map((floor) => ({ type: 'evict', floor })) },
      { weight: 2, arbitrary: fc.array(id, { maxLength: 3 }).map((event_ids) => ({ type: 'evict', event_ids })) },
      { weight: 1, arbitrary: fc.constant({ type: 'evict', floor: null }) },
      { weight: 3, arbitrary: fc.tuple(conn, run).map(([name, range]) => ({ type: 'deliver', conn: name, range })) },
      { weight: 3, arbitrary: fc.tuple(conn, id).map(([name, one]) => ({ type: 'deliver', conn: name, event_ids: [one] })) },
      { weight: 1, arbitrary: conn.map((name) => ({ type: 'close', conn: name })) },
      { weight: 1, arbitrary: fc.constant({ type: 'boot' }) },
      { weight: 1, arbitrary: fc.constantFrom('created', 'restored', 'ended').map((event) => ({ type: 'session', event })) },
      {
        weight: 2,
        arbitrary: fc
          .tuple(conn, id, fc.constantFrom('resumed', 'refused'), fc.option(fc.nat(60), { nil: undefined }))
          .map(([name, last_event_id, verdict, cursor]) => ({
            type: 'resume_attempt',
            conn: name,
            last_event_id,
            verdict,
            ...(cursor === undefined ? {} : { cursor }),
          })),
      },
    ),
  )
  .map(([members, record]): TelemetryRecord => {
    const decoded = decodeRecord({ ...members, ...record });
    if (!decoded.ok) throw new Error(decoded.error.path);
    return decoded.value;
  });

/** Rising ids on one stream, so that numbers are trusted for long before something contradicts them. */
const orderly = fc
  .tuple(fc.integer({ min: 200, max: 700 }), fc.array(fc.tuple(fc.nat(699), oneRecord), { maxLength: 12 }))
  .map(([length, disturbances]) => {
    const records = Array.from(
      { length },
      (_, n): TelemetryRecord =>
        n % 2 === 0 ? { type: 'emit', event_id: String(n) } : { type: 'deliver', conn: 'c1', event_ids: [String(n - 1)] },
    );
    for (const [place, record] of disturbances) records.splice(place, 0, record);
    return records;
  });
const histories = fc.oneof(fc.array(oneRecord, { maxLength: 60 }), orderly);

test('seeking to any record gives the state of a replay from the first', () => {
  fc.assert(
    fc.property(histories, (records) => {
      const timeline = createTimeline(records);
      const replayed = [...timeline.states()];
      expect(records.map((_, index) => timeline.stateAt(index))).toEqual(replayed);
    }),
    { numRuns: 150 },
  );
});

test('an eviction is not explained by what is emitted after it', () => {
  const records = [
    { type: 'emit', event_id: '9' },
    { type: 'evict', event_ids: ['11', '9'] },
    { type: 'emit', range: [11, 11] },
  ].map((record): TelemetryRecord => {
    const decoded = decodeRecord(record);
    if (!decoded.ok) throw new Error(decoded.error.path);
    return decoded.value;
  });
  const timeline = createTimeline(records);
  expect(timeline.stateAt(1)).toMatchObject({ floor: 10, head: 11 });
  expect(records.map((_, index) => timeline.stateAt(index))).toEqual([...timeline.states()]);
});

test('a timeline fed record by record, and asked in between, ends as one made at once', () => {
  fc.assert(
    fc.property(histories, fc.nat(), (records, probe) => {
      const fed = createTimeline();
      for (const record of records) {
        fed.push(record);
        if (fed.length % 7 === 0) fed.stateAt(probe % fed.length);
      }
      const probes = records.map((_, index) => index).filter((index) => index % 13 === probe % 13);
      expect(probes.map((index) => fed.stateAt(index))).toEqual(probes.map((index) => createTimeline(records).stateAt(index)));
    }),
    { numRuns: 60 },
  );
});

test('records of another session change nothing', () => {
  fc.assert(
    fc.property(fc.array(oneRecord, { maxLength: 40 }), fc.array(oneRecord, { maxLength: 20 }), (records, others) => {
      const own = records.filter((record) => record.type !== 'boot').map((record) => ({ ...record, session: 'own' }));
      const foreign = others.filter((record) => record.type !== 'boot').map((record) => ({ ...record, session: 'foreign' }));
      const mixed = own.flatMap((record, index) => [record, ...foreign.slice(index, index + 1)]);
      const alone = [...createTimeline(own).states()].at(-1);
      const at = mixed.findLastIndex((record) => record.session === 'own');
      expect(at < 0 ? undefined : createTimeline(mixed).stateAt(at)).toEqual(alone);
    }),
    { numRuns: 150 },
  );
});

test('a floor is never more than one above the head, and holes lie between them, sorted and apart', () => {
  fc.assert(
    fc.property(histories, (records) => {
      for (const { floor, head, holes } of createTimeline(records).states()) {
        if (floor !== null && head !== null) expect(Number(floor)).toBeLessThanOrEqual(Number(head) + 1);
        const edges = holes.flatMap(([first, last]) => [Number(first), Number(last) + 1]);
        const bounds = [Number(floor ?? 0), ...edges, head === null ? Number.POSITIVE_INFINITY : Number(head) + 1];
        if (holes.length > 0) expect(bounds).toEqual(bounds.toSorted((a, b) => a - b));
        expect(new Set(edges).size).toBe(edges.length);
      }
    }),
    { numRuns: 200 },
  );
});

test('a record that is not there is named', () => expect(() => createTimeline().stateAt(0)).toThrow(RangeError));
