import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Bar } from '@/components/overview/attempts-over-time';
import { barAt, meanPath, segmentsOf, stepPath, xAt } from '@/components/overview/bar-geometry';

const AREA = { left: 40, right: 140, fromMs: 0, toMs: 10_000 };
const EMPTY = {
  at: 0,
  lost: 0,
  total: 0,
  unavailable: 0,
  unsafe_resume: 0,
  bad_replay: 0,
  over_refusal: 0,
  refused: 0,
  resumed: 0,
  fresh: 0,
  unverifiable: 0,
};
const bar = (counts: Partial<Bar>): Bar => ({ ...EMPTY, ...counts });

describe('bars', () => {
  test('stand on each other from the base, faults first', () => {
    const segments = segmentsOf([bar({ unsafe_resume: 10, resumed: 40 })], AREA, 100, 200);
    expect(segments.map(({ mark, y, height }) => [mark, y, height])).toEqual([
      ['unsafe_resume', 180, 20],
      ['resumed', 100, 80],
    ]);
  });

  test('show a single fault among thousands', () => {
    const [fault] = segmentsOf([bar({ unsafe_resume: 1, resumed: 9_999 })], AREA, 10_000, 200);
    expect(fault?.height).toBeGreaterThanOrEqual(2);
  });

  test('lie within the area and do not overlap, however many there are', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 400 }), (count) => {
        const segments = segmentsOf(
          Array.from({ length: count }, () => bar({ resumed: 1 })),
          AREA,
          4,
          100,
        );
        segments.forEach((segment, index) => {
          const next = segments[index + 1];
          expect(segment.x).toBeGreaterThanOrEqual(AREA.left - 0.25);
          expect(segment.x + segment.width).toBeLessThanOrEqual(AREA.right + 0.25);
          if (next !== undefined && count <= 200) expect(next.x).toBeGreaterThanOrEqual(segment.x + segment.width - 1e-6);
        });
      }),
    );
  });
});

test.each([
  [39, -1],
  [40, 0],
  [89.9, 4],
  [90, 5],
  [139.9, 9],
  [140, -1],
])('pixel %f is over bar %i of ten', (x, index) => {
  expect(barAt(AREA, 10, x)).toBe(index);
});

test.each([
  [-5, 40],
  [0, 40],
  [5_000, 90],
  [20_000, 140],
])('instant %i stands at pixel %i', (atMs, x) => {
  expect(xAt(AREA, atMs)).toBe(x);
});

test('the line of earlier bars goes through their middles and stays under the top', () => {
  expect(meanPath([0, 50, 500], { ...AREA, left: 0, right: 30 }, 100, 100)).toBe('M5.0 100.0L15.0 50.0L25.0 0.0');
});

test('the line of many bars goes through the means of neighbours', () => {
  const values = Array.from({ length: 96 }, (_, index) => (index % 2) * 10);
  expect(
    new Set(
      meanPath(values, { ...AREA, left: 0, right: 96 }, 10, 100)
        .slice(1)
        .split('L')
        .map((point) => point.split(' ')[1]),
    ),
  ).toEqual(new Set(['50.0']));
  expect(meanPath([], AREA, 10, 100)).toBe('');
});

test.each([
  [[0, 0], ''],
  [[4, 0], 'M40.0 20V0.0H90.0V20'],
  [[0, 2], 'M90.0 20V10.0H140.0V20'],
  [[4, 2], 'M40.0 20V0.0H90.0V10.0H140.0V20'],
  [[1, 0, 0, 4], 'M40.0 20V15.0H65.0V20M115.0 20V0.0H140.0V20'],
])('the steps of %j rise from the base and come back to it', (counts, path) => {
  expect(stepPath(counts, AREA, 4, 20)).toBe(path);
});
