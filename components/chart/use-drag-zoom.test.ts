import { expect, test } from 'vitest';
import { stretchOf } from '@/components/chart/use-drag-zoom';

const AREA = { left: 100, right: 200, fromMs: 1_000, toMs: 11_000, stepMs: 1_000 };

test.each([
  [100, 200, 1_000, 11_000],
  [105, 115, 1_000, 3_000],
  [110, 120, 2_000, 3_000],
  [119, 121, 2_000, 4_000],
  [195, 199, 10_000, 11_000],
])('from pixel %i to %i whole steps are taken: %i to %i', (x0, x1, fromMs, toMs) => {
  expect(stretchOf(AREA, x0, x1)).toEqual({ fromMs, toMs });
});
