import { expect, test } from 'vitest';
import { alignedBefore, barsOf, barTicks, totalsOf } from '@/components/overview/attempts-over-time';
import type { Series } from '@/lib/wire/responses';

const FROM = Date.UTC(2025, 11, 1, 0, 7);
const point = (minute: number, counts: Record<string, number>, lost: number) => ({
  at: new Date(FROM + minute * 60_000).toISOString(),
  counts,
  events_lost: lost,
  resume_unavailable: counts['refused'] ?? 0,
});
const SERIES: Series = {
  from: '2025-12-01T00:07:00Z',
  to: '2025-12-01T00:10:00Z',
  step_s: 60,
  by: 'mark',
  at_least: false,
  blind: [],
  lost_batches: 0,
  dropped_records: 0,
  rejected_records: 0,
  keys: ['unsafe_resume', 'resumed'],
  points: [point(0, {}, 0), point(1, { unsafe_resume: 2, resumed: 98 }, 22), point(2, { resumed: 5 }, 0)],
};

test('a step in which nothing happened is a bar of height zero, not a missing one', () => {
  expect(barsOf(SERIES).map((bar) => bar.total)).toEqual([0, 100, 5]);
});

test('the totals of the legend are the sums of the bars', () => {
  expect(totalsOf(barsOf(SERIES))).toMatchObject({ lost: 22, marks: { unsafe_resume: 2, resumed: 103, fresh: 0 } });
});

test('refusals of live cursors are counted beside the marks, not on top of them', () => {
  const bars = barsOf({ ...SERIES, points: [point(0, { refused: 3, resumed: 1 }, 0), point(1, { refused: 2 }, 0)] });
  expect(bars.map(({ total, unavailable }) => [total, unavailable])).toEqual([
    [4, 3],
    [2, 2],
  ]);
  expect(totalsOf(bars)).toMatchObject({ unavailable: 5, marks: { refused: 5, resumed: 1 } });
});

test.each([
  ['whole steps', '2025-12-01T00:04:00Z', [-3, -2, -1], [1, 2, 4]],
  ['a cut first step', '2025-12-01T00:04:40Z', [-3, -2, -1], [3, 4, 0]],
  ['a cut first step and one step more', '2025-12-01T00:03:40Z', [-4, -3, -2, -1], [3, 4, 8]],
])('attempts before, from %s, stand as far into the chart as they were in theirs', (_, from, minutes, counts) => {
  const before = { ...SERIES, from, to: SERIES.from, points: minutes.map((minute, i) => point(minute, { resumed: 2 ** i }, 0)) };
  expect(alignedBefore(barsOf(SERIES), SERIES, before)).toEqual(counts);
});

test('a round tick stands at the bar that holds it, one outside stands nowhere', () => {
  const bars = barsOf(SERIES);
  const inside = FROM + 90_000;
  expect([...barTicks(bars, [inside, FROM + 600_000], 60_000)]).toEqual([[FROM + 60_000, inside]]);
});
