import fc from 'fast-check';
import { expect, test } from 'vitest';
import { EventRing, type NewEvent } from '@/lib/session-log/event-ring';

const EVENT: fc.Arbitrary<NewEvent> = fc.record({
  id: fc.option(fc.string({ maxLength: 6 })),
  fingerprint: fc.maxSafeNat(),
  bytes: fc.nat(2 ** 32 - 1),
  frame: fc.option(fc.uint8Array({ maxLength: 3000 })),
  isAnswer: fc.boolean(),
  isOwnId: fc.boolean(),
  at: fc.maxSafeNat(),
});

const read = (ring: EventRing, index: number): NewEvent => ({
  id: ring.id(index),
  fingerprint: ring.fingerprint(index),
  bytes: ring.bytes(index),
  frame: ring.frame(index),
  isAnswer: ring.isAnswer(index),
  isOwnId: ring.isOwnId(index),
  at: ring.at(index),
});

test('a ring holds what was pushed and not yet shifted, in order, through every growth', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof({ weight: 3, arbitrary: EVENT }, fc.constant('shift' as const)), { maxLength: 200 }), (steps) => {
      const ring = new EventRing();
      const model: NewEvent[] = [];
      for (const step of steps) {
        if (step !== 'shift') {
          ring.push(step);
          model.push(step);
        } else if (model.length > 0) expect(ring.shift()).toBe(model.shift()?.id);
      }
      expect(Array.from({ length: ring.length }, (_, index) => read(ring, index))).toEqual(model);
    }),
  );
});

test('a frame is a copy, and a view that was handed out stays what it was', () => {
  const ring = new EventRing();
  const frame = Uint8Array.from([1, 2, 3]);
  const event = { id: 'a', fingerprint: 1, bytes: 3, frame, isAnswer: false, isOwnId: false, at: 0 };
  ring.push(event);
  const view = ring.frame(0);
  frame.fill(9);
  ring.shift();
  for (let i = 0; i < 100; i++) ring.push({ ...event, frame: new Uint8Array(2000) });
  expect([...(view ?? [])]).toEqual([1, 2, 3]);
});
