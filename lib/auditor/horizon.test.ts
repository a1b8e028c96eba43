import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Horizon } from '@/lib/auditor/horizon';

describe('the horizon', () => {
  test('is the newest number while nothing runs', () => {
    const horizon = new Horizon();
    expect(horizon.advance({ lastBatch: 7, oldest: 50n, next: 50n }, 0)).toBe(7);
  });

  test('waits for what ran when a number was seen, and for nothing that began later', () => {
    const horizon = new Horizon();
    expect(horizon.advance({ lastBatch: 7, oldest: 48n, next: 50n }, 0)).toBe(0);
    expect(horizon.advance({ lastBatch: 9, oldest: 49n, next: 53n }, 1)).toBe(0);
    expect(horizon.advance({ lastBatch: 9, oldest: 50n, next: 53n }, 2)).toBe(7);
  });

  test('gives up on a transaction that stays open for two minutes', () => {
    const horizon = new Horizon();
    horizon.advance({ lastBatch: 7, oldest: 48n, next: 50n }, 0);
    expect(horizon.advance({ lastBatch: 8, oldest: 48n, next: 51n }, 120_000)).toBe(0);
    expect(horizon.advance({ lastBatch: 8, oldest: 48n, next: 51n }, 120_001)).toBe(7);
  });

  test('never passes a number that may still appear, however transactions begin and end', () => {
    const step = fc.record({ isBegin: fc.boolean(), pick: fc.nat(9), isLook: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const horizon = new Horizon();
        const running = new Map<bigint, number>();
        let next = 1n;
        let lastBatch = 0;
        for (const [at, { isBegin, pick, isLook }] of steps.entries()) {
          if (isBegin) running.set(next++, ++lastBatch);
          else running.delete([...running.keys()][pick] ?? 0n);
          if (!isLook) continue;
          const [oldest = next] = running.keys();
          const settled = horizon.advance({ lastBatch, oldest, next }, at);
          expect([...running.values()].filter((batch) => batch <= settled)).toEqual([]);
        }
      }),
    );
  });
});
