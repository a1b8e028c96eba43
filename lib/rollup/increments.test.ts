import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { BatchNote, Drop, RejectedUnnumbered } from '@/lib/rollup/batch-numbers';
import { bucketOf, bucketOfOctave } from '@/lib/rollup/buckets';
import {
  addRecord,
  histogramKey,
  type Increments,
  noIncrements,
  outcomeKey,
  type RolledRecord,
  splitHistogramKey,
  splitOutcomeKey,
} from '@/lib/rollup/increments';
import { readIncrements, writeIncrements } from '@/lib/rollup/increments-text';
import { mergeIncrements } from '@/lib/rollup/merge-increments';

const size = fc.bigInt({ min: 0n, max: 9_223_372_036_854_775_807n });
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value);
const attempt = fc.record({
  reason: fc.constantFrom(0, 11, 14, 99),
  assessment: fc.nat(6),
  mark: fc.nat(6),
  isUnavailable: fc.boolean(),
  isUnsafe: fc.boolean(),
  gap: maybe(size),
  replay: maybe(size),
  lead: maybe(size.chain((n) => fc.constantFrom(n, -n))),
  acceptedLead: maybe(size),
  latencyUs: maybe(size),
  kept: maybe(size),
  needed: maybe(size),
});
const record: fc.Arbitrary<RolledRecord> = fc.record({
  atMs: fc.integer({ min: 1_796_000_000_000, max: 1_796_010_000_000 }),
  server: fc.integer({ min: 1, max: 3 }),
  node: maybe(fc.integer({ min: 1, max: 3 })),
  session: maybe(fc.constantFrom('a'.repeat(32), 'b'.repeat(32))),
  type: fc.nat(9),
  annotation: maybe(fc.nat(4)),
  attempt: maybe(attempt),
});

function fold(records: readonly RolledRecord[]): Increments {
  const increments = noIncrements();
  for (const one of records) addRecord(increments, one);
  return increments;
}

describe('increments', () => {
  test('of two groups add up to those of their union, in either order', () => {
    fc.assert(
      fc.property(fc.array(record), fc.array(record), (some, others) => {
        // A session belongs to one server: its reference is a hash over both.
        const own = (list: RolledRecord[]) =>
          list.map((one) => (one.session === null ? one : { ...one, server: one.session.startsWith('a') ? 1 : 2 }));
        const merged = fold(own(others));
        mergeIncrements(merged, fold(own(some)));
        expect(merged).toEqual(fold(own([...some, ...others])));
      }),
    );
  });

  test('survive being written and read', () => {
    fc.assert(
      fc.property(fc.array(record), (records) => {
        const increments = fold(records);
        expect(readIncrements(writeIncrements(increments))).toEqual(increments);
      }),
    );
  });
});

describe('keys and buckets', () => {
  test('a key gives back what it was made of', () => {
    fc.assert(
      fc.property(fc.nat(40_000_000), fc.nat(127), fc.nat(15), fc.integer({ min: -256, max: 256 }), (period, reason, small, bucket) => {
        expect(splitOutcomeKey(outcomeKey(period, reason, small))).toEqual({ period, reason, assessment: small });
        expect(splitHistogramKey(histogramKey(period, 3, small, bucket))).toEqual({ hour: period, measure: 3, mark: small, bucket });
      }),
    );
  });

  test('a larger value never has a smaller bucket', () => {
    fc.assert(fc.property(size, size, (a, b) => a > b || bucketOf(a) <= bucketOf(b)));
  });

  test.each([
    [0n, 0],
    [1n, 1],
    [2n, 5],
    [4n, 9],
    [-1n, -1],
    [-4n, -9],
    [9_223_372_036_854_775_807n, 253],
  ])('%s is in bucket %i', (value, bucket) => expect(bucketOf(value)).toBe(bucket));

  test('an octave begins with a bucket of its own', () => {
    for (let octave = 1; octave < 40; octave++) {
      expect(bucketOf(2n ** BigInt(octave))).toBe(bucketOfOctave(octave));
      expect(bucketOf(2n ** BigInt(octave) - 1n)).toBeLessThan(bucketOfOctave(octave));
    }
  });
});

const rejected = { server: fc.nat(100), records: fc.nat(), firstMs: fc.maxSafeNat(), lastMs: fc.maxSafeNat() };

const batch: fc.Arbitrary<BatchNote> = fc.record({
  project: fc.option(fc.nat()),
  producer: fc.string({ minLength: 1, unit: 'grapheme' }),
  epoch: fc.string({ minLength: 1, unit: 'grapheme' }),
  sequence: fc.maxSafeNat(),
  first: fc.option(fc.constantFrom(0, 1)),
  dropped: fc.maxSafeNat(),
  beganMs: fc.option(fc.maxSafeNat()),
  firstMs: fc.maxSafeNat(),
  lastMs: fc.maxSafeNat(),
  receivedMs: fc.maxSafeNat(),
  servers: fc.array(fc.nat(100)),
  rejected: fc.array(fc.record(rejected)),
});

const drop: fc.Arbitrary<Drop> = fc.record({
  server: fc.nat(100),
  node: maybe(fc.nat(100)),
  place: fc.maxSafeNat(),
  records: fc.maxSafeNat(),
  atMs: fc.maxSafeNat(),
  receivedMs: fc.maxSafeNat(),
});

test('drops of unnumbered senders are read back as they were written, and are kept when increments are merged', () => {
  fc.assert(
    fc.property(fc.array(drop), fc.array(drop), (some, others) => {
      const read = readIncrements(writeIncrements({ ...noIncrements(), drops: some }));
      expect(read.drops).toEqual(some);
      mergeIncrements(read, { ...noIncrements(), drops: others });
      expect(read.drops).toEqual([...some, ...others]);
    }),
  );
});

const unnumbered: fc.Arbitrary<RejectedUnnumbered> = fc.record({
  ...rejected,
  project: fc.nat(),
  receivedMs: fc.maxSafeNat(),
  ids: fc.array(fc.uuid().map((id) => id.replaceAll('-', ''))),
});

test('what was rejected outside of numbered batches is read back as it was written, and is kept when increments are merged', () => {
  fc.assert(
    fc.property(fc.array(unnumbered), fc.array(unnumbered), (some, others) => {
      const read = readIncrements(writeIncrements({ ...noIncrements(), rejected: some }));
      expect(read.rejected).toEqual(some);
      mergeIncrements(read, { ...noIncrements(), rejected: others });
      expect(read.rejected).toEqual([...some, ...others]);
    }),
  );
});

test('numbered batches are read back as they were written, whatever their names hold, and are kept when increments are merged', () => {
  fc.assert(
    fc.property(fc.array(batch), fc.array(batch), (some, others) => {
      const read = readIncrements(writeIncrements({ ...noIncrements(), batches: some }));
      expect(read.batches).toEqual(some);
      mergeIncrements(read, { ...noIncrements(), batches: others });
      expect(read.batches).toEqual([...some, ...others]);
    }),
  );
});
