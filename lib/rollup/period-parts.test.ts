import fc from 'fast-check';
import { expect, test } from 'vitest';
import { periodBefore, periodParts } from '@/lib/rollup/period-parts';

test('the parts of a period are disjoint, make it up, and the inner one holds whole units', () => {
  fc.assert(
    fc.property(fc.nat(1000), fc.nat(1000), fc.integer({ min: 1, max: 60 }), (a, b, unit) => {
      const period = { fromMs: Math.min(a, b), toMs: Math.max(a, b) };
      const { inner, edges } = periodParts(period, unit);
      const parts = [...edges, ...(inner === null ? [] : [inner])].sort((x, y) => x.fromMs - y.fromMs);
      let at = period.fromMs;
      for (const part of parts) {
        expect(part.fromMs).toBe(at);
        expect(part.toMs).toBeGreaterThan(part.fromMs);
        at = part.toMs;
      }
      expect(at).toBe(period.toMs);
      if (inner !== null) expect([inner.fromMs % unit, inner.toMs % unit]).toEqual([0, 0]);
      for (const edge of edges) expect(edge.toMs - edge.fromMs).toBeLessThan(2 * unit);
    }),
  );
});

test('the period before is exactly as long and ends where the period begins', () => {
  fc.assert(
    fc.property(fc.nat(10_000_000), fc.nat(10_000_000), (fromMs, length) => {
      expect(periodBefore({ fromMs, toMs: fromMs + length, isOpen: true })).toEqual({ fromMs: fromMs - length, toMs: fromMs });
    }),
  );
});

test('an open period has no edge at its end: its last unit is taken whole', () => {
  expect(periodParts({ fromMs: 5, toMs: 31, isOpen: true }, 10)).toEqual({
    inner: { fromMs: 10, toMs: 40 },
    edges: [{ fromMs: 5, toMs: 10 }],
  });
  expect(periodParts({ fromMs: 10, toMs: 30, isOpen: true }, 10)).toEqual({ inner: { fromMs: 10, toMs: 30 }, edges: [] });
});
