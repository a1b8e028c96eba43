import { expect, test } from 'vitest';
import { BodyBudget } from '@/lib/proxy/body-budget';
import { HeldBytes } from '@/lib/proxy/held-bytes';

const hold = (held: HeldBytes, bytes: number) => held.add(Buffer.alloc(bytes), 0, bytes);

test('unfinished events share one budget: what finds no room is lost, and gives back what it had', () => {
  const budget = new BodyBudget(100);
  const [one, other] = [new HeldBytes(budget), new HeldBytes(budget)];
  hold(one, 60);
  hold(other, 30);
  hold(other, 20);
  expect([one.isOverflowed, other.isOverflowed, other.pieces.length]).toEqual([false, true, 0]);
  hold(one, 40);
  expect(one.isOverflowed).toBe(false);
  one.clear();
  other.clear();
  hold(other, 100);
  expect([other.isOverflowed, other.pieces.length]).toEqual([false, 1]);
});
