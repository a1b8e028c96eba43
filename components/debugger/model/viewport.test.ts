import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fitting, following, isWhole, panned, readView, viewText, wholeOf, zoomed } from '@/components/debugger/model/viewport';

const whole = { fromX: 1_000_000, toX: 1_060_000 };
const bounds = wholeOf(whole);
const view = fc
  .tuple(fc.integer({ min: 0, max: 50_000 }), fc.integer({ min: 100, max: 10_000 }))
  .map(([from, span]) => ({ fromX: whole.fromX + from, toX: whole.fromX + from + span }));

test('zooming keeps the moment under the pointer where it is', () => {
  fc.assert(
    fc.property(
      view,
      fc.double({ min: 0.2, max: 0.9, noNaN: true }),
      fc.double({ min: 0.1, max: 0.9, noNaN: true }),
      (seen, factor, share) => {
        const atX = seen.fromX + (seen.toX - seen.fromX) * share;
        const closer = zoomed(seen, factor, atX, whole);
        expect((atX - closer.fromX) / (closer.toX - closer.fromX)).toBeCloseTo(share, 6);
      },
    ),
  );
});

test('whatever one does, what is seen lies within the whole', () => {
  fc.assert(
    fc.property(
      view,
      fc.double({ min: 0.01, max: 100, noNaN: true }),
      fc.double({ min: -3, max: 3, noNaN: true }),
      (seen, factor, share) => {
        for (const next of [zoomed(seen, factor, seen.fromX, whole), panned(seen, share, whole), following(seen, whole.toX, whole)]) {
          expect(next.fromX).toBeGreaterThanOrEqual(bounds.fromX - 1e-6);
          expect(next.toX).toBeLessThanOrEqual(bounds.toX + 1e-6);
          expect(next.toX - next.fromX).toBeGreaterThanOrEqual(2 - 1e-6);
        }
      },
    ),
  );
});

test('following moves only when the moment is about to leave the screen', () => {
  const seen = { fromX: 1_010_000, toX: 1_020_000 };
  expect(following(seen, 1_015_000, whole)).toBe(seen);
  const moved = following(seen, 1_030_000, whole);
  expect(moved.fromX).toBeLessThan(1_030_000);
  expect(moved.toX).toBeGreaterThan(1_030_000);
});

test('a viewport comes back from its text, and everything needs no text', () => {
  const seen = { fromX: 1_010_000, toX: 1_020_000 };
  expect(viewText(seen, whole)).toBe('10000~20000');
  expect(readView(viewText(seen, whole), whole)).toEqual(seen);
  expect(viewText(bounds, whole)).toBeNull();
});

test.each([null, '', 'x', '5', '9~3', '1~1', '1e9~2e9'])('a text that names no viewport (%s) shows everything', (text) => {
  expect(isWhole(readView(text, whole), whole)).toBe(true);
});

test('a stretch is shown with air at both ends, and never beyond the whole', () => {
  const seen = fitting({ fromX: 1_010_000, toX: 1_020_000 }, whole);
  expect([seen.fromX < 1_010_000, seen.toX > 1_020_000]).toEqual([true, true]);
  expect(fitting(whole, whole)).toEqual(bounds);
});
