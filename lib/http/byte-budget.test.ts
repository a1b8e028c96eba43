import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ByteBudget } from '@/lib/http/byte-budget';

test('one party gets half, and its leases share that', () => {
  const budget = new ByteBudget(100);
  const leases = Array.from({ length: 10 }, () => budget.lease('noisy'));
  expect(leases.map((lease) => lease.take(10))).toEqual([true, true, true, true, true, false, false, false, false, false]);
  expect(budget.lease('quiet').take(10)).toBe(true);
  for (const lease of leases) lease.release();
  expect(budget.lease('noisy').take(50)).toBe(true);
});

test('what is given back in parts finds a taker again', () => {
  const budget = new ByteBudget(100);
  const lease = budget.lease('noisy');
  expect([lease.take(50), lease.take(10)]).toEqual([true, false]);
  lease.give(20);
  expect([lease.take(20), lease.take(10)]).toEqual([true, false]);
  lease.release();
  expect(budget.lease('another').take(50)).toBe(true);
});

test('whoever holds nothing finds room, whatever others took', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.integer({ min: 0, max: 9 }), fc.integer({ min: 1, max: 64 })), { maxLength: 200 }), (wishes) => {
      const budget = new ByteBudget(2 ** 20);
      for (const [party, kilobytes] of wishes) budget.lease(String(party)).take(kilobytes * 1024);
      expect(budget.lease('another').take(64)).toBe(true);
    }),
  );
});
