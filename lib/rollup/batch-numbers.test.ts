import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addBatches, type BatchNote, BEGIN_MS_MAX, type Before, type NumberingState } from '@/lib/rollup/batch-numbers';

/** A producer that nothing is known of. */
const NEW: Before = { ms: null, isFromZero: false };
const NOTHING: NumberingState = { numbering: null, losses: [] };
const note = (sequence: number, members: Partial<BatchNote> = {}): BatchNote => ({
  project: 0,
  producer: 'p',
  epoch: 'e',
  sequence,
  first: null,
  dropped: 0,
  beganMs: null,
  firstMs: sequence * 100,
  lastMs: sequence * 100 + 50,
  receivedMs: sequence * 100 + 60,
  servers: [],
  rejected: [],
  ...members,
});
const missing = ({ losses }: NumberingState): number[] =>
  losses.flatMap(({ first, last }) => Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => first + i)).sort((a, b) => a - b);
const droppedIn = ({ losses }: NumberingState): number => losses.reduce((sum, { records }) => sum + records, 0);

/** Numbers in any order, some more than once, told in groups of any size. */
const arrivals = fc.array(fc.array(fc.integer({ min: 0, max: 30 }), { maxLength: 6 }), { maxLength: 12 });

describe('missing batches', () => {
  test.each([
    { name: 'numbers that follow each other miss nothing', numbers: [1, 2, 3], want: [] },
    { name: 'numbering may begin at 0', numbers: [0, 1, 2], want: [] },
    { name: 'a number left out is missing', numbers: [1, 3], want: [2] },
    { name: 'all of a stretch is missing', numbers: [1, 5], want: [2, 3, 4] },
    { name: 'a first number beyond 1 says that others were sent before', numbers: [3], want: [1, 2] },
    { name: 'a batch sent again changes nothing', numbers: [1, 2, 2, 1, 2], want: [] },
    { name: 'a late batch fills its place', numbers: [1, 4, 2], want: [3] },
    { name: 'a late batch in the middle of a hole leaves both sides', numbers: [1, 5, 3], want: [2, 4] },
  ])('$name', ({ numbers, want }) => {
    const state = numbers.reduce((known, number) => addBatches(known, [note(number)], NEW), NOTHING);
    expect(missing(state)).toEqual(want);
  });

  test.each([
    { name: 'a batch 0 that the producer says there is', notes: [note(1, { first: 0 })], before: NEW, want: [0] },
    { name: 'and that comes late', notes: [note(1, { first: 0 }), note(0, { first: 0 })], before: NEW, want: [] },
    { name: 'a batch 0 that only a later one tells of', notes: [note(1), note(2, { first: 0 })], before: NEW, want: [0] },
    { name: 'a batch 0 of a producer that began at 0 before', notes: [note(2)], before: { ...NEW, isFromZero: true }, want: [0, 1] },
    { name: 'no batch 0 of one that now begins at 1', notes: [note(2, { first: 1 })], before: { ...NEW, isFromZero: true }, want: [1] },
    { name: 'no batch 0 that came late and was not spoken of', notes: [note(3), note(0)], before: NEW, want: [1, 2] },
  ])('at the begin are $name', ({ notes, before, want }) => {
    for (const order of [notes, [...notes].reverse()]) {
      const state = order.reduce((known, one) => addBatches(known, [one], before), NOTHING);
      expect(missing(state)).toEqual(want);
    }
  });

  test('lie between the newest record before and the oldest one after', () => {
    const state = addBatches(NOTHING, [note(1), note(4)], NEW);
    expect(state.losses).toEqual([
      { first: 2, last: 3, sinceMs: 150, untilMs: 400, records: 0, revealedMs: 460, server: 0, isRejected: false },
    ]);
  });

  test('before the first batch of an epoch lie after the epoch before', () => {
    expect(addBatches(NOTHING, [note(3)], { ...NEW, ms: 40 }).losses).toMatchObject([{ first: 1, last: 2, sinceMs: 40, untilMs: 300 }]);
  });

  test.each([
    { name: 'when the producer says that it began', told: { beganMs: 120 }, before: NEW, since: 120 },
    { name: 'when it says so, rather than after the epoch before', told: { beganMs: 120 }, before: { ...NEW, ms: 40 }, since: 120 },
    { name: 'no later than the records of that batch, whatever it says', told: { beganMs: 9_000 }, before: NEW, since: 300 },
    { name: 'an hour before where nothing is known', told: {}, before: NEW, since: 300 - BEGIN_MS_MAX },
  ])('before the first batch of an epoch begin $name', ({ told, before, since }) => {
    const dropped = { ...told, dropped: 4 };
    expect(addBatches(NOTHING, [note(3, dropped)], before).losses).toMatchObject([
      { first: 1, last: 2, sinceMs: since, untilMs: 300 },
      { first: 3, last: 2, records: 4, sinceMs: since, untilMs: 300 },
    ]);
    const late = addBatches(addBatches(NOTHING, [note(1)], before), [note(3, { ...told, first: 0 })], before);
    expect(late.losses).toContainEqual(expect.objectContaining({ first: 0, last: 0, sinceMs: since, untilMs: 300 }));
  });

  test('lie in a stretch that is never backwards, also when records overlap', () => {
    const [loss] = addBatches(NOTHING, [note(1, { lastMs: 900 }), note(3, { firstMs: 200 })], NEW).losses;
    expect(loss).toMatchObject({ sinceMs: 200, untilMs: 900 });
  });
});

describe('dropped records', () => {
  test('are counted once, from a total that only rises', () => {
    let state = addBatches(NOTHING, [note(1, { dropped: 3 })], NEW);
    expect(droppedIn(state)).toBe(3);
    state = addBatches(state, [note(2, { dropped: 3 })], NEW);
    expect(droppedIn(state)).toBe(3);
    state = addBatches(state, [note(3, { dropped: 10 })], NEW);
    expect(state.losses).toContainEqual({
      first: 3,
      last: 2,
      sinceMs: 250,
      untilMs: 300,
      records: 7,
      revealedMs: 360,
      server: 0,
      isRejected: false,
    });
  });

  test('stay known when the batches around them arrive late', () => {
    const state = addBatches(NOTHING, [note(1), note(3, { dropped: 5 }), note(2, { dropped: 2 })], NEW);
    expect([missing(state), droppedIn(state)]).toEqual([[], 5]);
  });
});

describe('rejected records', () => {
  const rejected = [
    { server: 7, records: 2, firstMs: 110, lastMs: 140 },
    { server: 0, records: 1, firstMs: 120, lastMs: 120 },
  ];
  const rejectedIn = ({ losses }: NumberingState) => losses.filter(({ isRejected }) => isRejected);

  test('are a loss of their servers, when they are of', () => {
    const common = { first: 1, last: 0, revealedMs: 160, isRejected: true };
    expect(addBatches(NOTHING, [note(1, { rejected })], NEW).losses).toEqual([
      { ...common, server: 7, records: 2, sinceMs: 110, untilMs: 140 },
      { ...common, server: 0, records: 1, sinceMs: 120, untilMs: 120 },
    ]);
  });

  test('of a batch that fills a hole are lost still', () => {
    const state = addBatches(NOTHING, [note(1), note(3), note(2, { rejected })], NEW);
    expect([missing(state), droppedIn(state)]).toEqual([[], 3]);
  });

  test('are lost once for each number that came, in any order and however often it was sent', () => {
    fc.assert(
      fc.property(arrivals, (groups) => {
        const told = (number: number): BatchNote =>
          note(number, { rejected: [{ server: 1, records: 1, firstMs: number, lastMs: number }] });
        const state = groups.reduce<NumberingState>((known, numbers) => addBatches(known, numbers.map(told), NEW), NOTHING);
        expect(
          rejectedIn(state)
            .map(({ first }) => first)
            .sort((a, b) => a - b),
        ).toEqual([...new Set(groups.flat())].sort((a, b) => a - b));
      }),
    );
  });
});

test('what is missing depends on the set of numbers received alone, not on order, repetition or grouping', () => {
  fc.assert(
    fc.property(arrivals, (groups) => {
      const state = groups.reduce<NumberingState>(
        (known, numbers) =>
          addBatches(
            known,
            numbers.map((number) => note(number)),
            NEW,
          ),
        NOTHING,
      );
      const received = new Set(groups.flat());
      const head = Math.max(0, ...received);
      const expected = Array.from({ length: head }, (_, i) => i + 1).filter((number) => !received.has(number));
      expect(missing(state)).toEqual(expected);
      expect(state.numbering?.head ?? 0).toBe(head);
    }),
  );
});

test('the dropped records of all losses are the highest total told, in any order of arrival', () => {
  fc.assert(
    fc.property(arrivals, (groups) => {
      const told = (number: number): BatchNote => note(number, { dropped: number * 2 });
      const state = groups.reduce<NumberingState>((known, numbers) => addBatches(known, numbers.map(told), NEW), NOTHING);
      expect(droppedIn(state)).toBe(2 * Math.max(0, ...groups.flat()));
    }),
  );
});

test('a step needs no more than the losses that hold its numbers', () => {
  fc.assert(
    fc.property(arrivals, (groups) => {
      let whole = NOTHING;
      let apart = NOTHING;
      for (const numbers of groups) {
        const notes = numbers.map((number) => note(number));
        whole = addBatches(whole, notes, NEW);
        const touched = apart.losses.filter(({ first, last }) => numbers.some((number) => first <= number && number <= last));
        const rest = apart.losses.filter((loss) => !touched.includes(loss));
        const next = addBatches({ numbering: apart.numbering, losses: touched }, notes, NEW);
        apart = { numbering: next.numbering, losses: [...rest, ...next.losses] };
      }
      expect(missing(apart)).toEqual(missing(whole));
    }),
  );
});
