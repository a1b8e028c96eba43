import { expect, test } from 'vitest';
import { FoldWidth } from '@/lib/store/fold-width';

test('a fold that ran out of time is followed by one of half of what it took, down to one', () => {
  const width = new FoldWidth();
  width.ranOut(400);
  expect(width.count).toBe(200);
  width.ranOut(9);
  expect(width.count).toBe(4);
  for (let i = 0; i < 5; i++) width.ranOut(1);
  expect(width.count).toBe(1);
});

test('folds get wider after several full ones in time, counted anew after each step and each failure, and never wider than 400', () => {
  const width = new FoldWidth();
  const full = (times: number): number => {
    for (let i = 0; i < times; i++) width.folded(width.count);
    return width.count;
  };
  width.ranOut(400);
  width.ranOut(200);
  expect(full(3)).toBe(100);
  width.folded(99);
  expect(width.count).toBe(100);
  expect(full(1)).toBe(200);
  expect(full(3)).toBe(200);
  width.ranOut(200);
  expect(full(3)).toBe(100);
  expect(full(1)).toBe(200);
  expect(full(40)).toBe(400);
});
