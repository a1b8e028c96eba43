import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LiveRing } from '@/lib/live/live-ring';
import type { LiveEvent } from '@/lib/query/live-events';

const event = (seq: number): LiveEvent => ({ seq: BigInt(seq), at: '2026-01-01T00:00:00.000Z', stored: 1, attempts: 1, servers: ['a'] });
const tail = (first: number, last: number, generation = 'g') => ({
  generation,
  head: BigInt(last),
  events: Array.from({ length: last - first + 1 }, (_, i) => event(first + i)),
});
const ringOf = (first: number, last: number, max = 10): LiveRing => {
  const ring = new LiveRing(max);
  ring.add(tail(first, last));
  return ring;
};
const cursor = (seq: number | null, generation: string | null = 'g') => ({
  generation,
  seq: seq === null ? null : BigInt(seq),
  text: seq === null ? null : String(seq),
});

describe('a page that comes back', () => {
  test.each([
    { name: 'with the newest event misses nothing', at: cursor(9), want: ['resume', 'ok'] },
    { name: 'just before the oldest retained event is resumed', at: cursor(4), want: ['resume', 'ok'] },
    { name: 'one further back has lost an event', at: cursor(3), want: ['refuse', 'below_floor'] },
    { name: 'from the future is of another history', at: cursor(10), want: ['refuse', 'ahead_of_head'] },
    { name: 'with a number in range of another generation is refused', at: cursor(7, 'h'), want: ['refuse', 'generation_mismatch'] },
    { name: 'without its generation cannot be placed', at: cursor(7, null), want: ['refuse', 'generation_unknown'] },
    { name: 'with a text that is no number is refused', at: { generation: 'g', seq: null, text: 'x' }, want: ['refuse', 'unknown_cursor'] },
    { name: 'without a cursor starts fresh', at: cursor(null), want: ['fresh', 'no_cursor'] },
  ])('$name', ({ at, want }) => {
    const { verdict, reason } = ringOf(5, 9).judge(at);
    expect([verdict, reason]).toEqual(want);
  });

  test('to an empty feed is resumed at its head and refused below', () => {
    const ring = new LiveRing(10);
    ring.add({ generation: 'g', head: 9n, events: [] });
    expect(ring.judge(cursor(9)).reason).toBe('ok');
    expect(ring.judge(cursor(8)).reason).toBe('below_floor');
  });
});

describe('what listeners are told', () => {
  test('is more, when events continue what they have', () => {
    expect(ringOf(1, 3).add(tail(4, 5))).toMatchObject({ kind: 'more', events: [{ seq: 4n }, { seq: 5n }] });
  });

  test('is nothing twice, when a tail overlaps what they have', () => {
    expect(ringOf(1, 3).add(tail(2, 4))).toMatchObject({ kind: 'more', events: [{ seq: 4n }] });
  });

  test.each([
    { name: 'events between were not retained', next: tail(6, 7) },
    { name: 'the head moved and nothing of it is retained', next: { generation: 'g', head: 7n, events: [] } },
  ])('is a gap, when $name', ({ next }) => expect(ringOf(1, 3).add(next)).toEqual({ kind: 'gap' }));

  test.each([
    { name: 'the generation is another', next: tail(1, 5, 'h') },
    { name: 'the head fell back', next: tail(1, 2) },
  ])('is that the feed was rebuilt, when $name', ({ next }) => expect(ringOf(1, 3).add(next)).toEqual({ kind: 'rebuilt' }));
});

test('a resumed page receives exactly the events after its cursor, each once and in order, whatever was pulled when', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 20 }),
      fc.nat(60),
      fc.integer({ min: 1, max: 20 }),
      (steps, at, max) => {
        const ring = new LiveRing(max);
        let head = 0;
        ring.add({ generation: 'g', head: 0n, events: [] });
        for (const step of steps) {
          ring.add(tail(Math.max(1, head - 2), head + step));
          head += step;
        }
        const { verdict } = ring.judge(cursor(at));
        const expected = Array.from({ length: Math.max(0, head - at) }, (_, i) => BigInt(at + 1 + i));
        if (verdict === 'resume') expect(ring.after(BigInt(at)).map(({ seq }) => seq)).toEqual(expected);
        else expect(at > head || head - at > max).toBe(true);
      },
    ),
  );
});
