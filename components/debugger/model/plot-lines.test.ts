import { expect, test } from 'vitest';
import { leadAt } from '@/components/debugger/model/lead';
import { boundsOf, linesOf } from '@/components/debugger/model/plot-lines';
import { stageFrame } from '@/components/debugger/model/stage-frame';
import type { TelemetryRecord } from '@/lib/wire/schema';
import { S01_RECORDS, S02_RECORDS, seen } from '@/tests/debugger/sample-history';

const BOX = { left: 80, right: 780, top: 30, bottom: 430 };

test('numberings whose positions overlap share a scale, others have their own', () => {
  const shared = linesOf(seen(S01_RECORDS).data);
  expect(shared.map(({ stretches }) => stretches.map(({ generation }) => generation))).toEqual([['1', '2']]);
  const apart: TelemetryRecord[] = [
    { type: 'emit', generation: 'a', range: [9_000_000, 9_000_100] },
    { type: 'boot', generation: 'b' },
    { type: 'emit', generation: 'b', range: [0, 20] },
  ];
  expect(linesOf(seen(apart).data).map(({ base }) => base)).toEqual([9_000_000n, 0n]);
});

test('positions near 2^63 are told apart, since offsets count from a base near them', () => {
  const last = 9_223_372_036_854_775_807n;
  const [group] = linesOf(
    seen([
      { type: 'emit', range: [String(last - 5n), String(last - 4n)] },
      { type: 'emit', range: [String(last - 3n), String(last)] },
    ]).data,
  );
  expect(group?.base).toBe(last - 5n);
  expect([...(group?.stretches[0]?.head.values ?? [])]).toEqual([1, 5]);
});

test('what is in sight fills the scale, and a line that began before the view counts as seen', () => {
  const one = seen(S02_RECORDS);
  const groups = linesOf(one.data);
  const { fromX } = one.history;
  const frame = stageFrame(groups, { fromX: fromX + 20_000, toX: fromX + 25_000 }, 'time', BOX);
  const [group] = frame.groups;
  expect(group?.yOf(0)).toBeLessThanOrEqual(BOX.bottom);
  expect(group?.yOf(22)).toBeGreaterThanOrEqual(BOX.top);
  expect(frame.atPx(frame.xOf(fromX + 21_000))).toBeCloseTo(fromX + 21_000);
  expect(frame.xTicks.length).toBeGreaterThan(2);
});

test('the lead is what lies between the floor and what the client holds, and is not told where nothing is known', () => {
  const one = seen(S02_RECORDS);
  const lead = leadAt(linesOf(one.data), one.history.fromX + 40_000);
  expect(lead === null ? null : [lead.group.base + BigInt(lead.client), lead.group.base + BigInt(lead.floor)]).toEqual([1042n, 1030n]);
  expect(leadAt(linesOf(one.data), one.history.fromX)).toBeNull();
});

test('a lead over the floor is lost all the same once a hole opens above what the client holds', () => {
  const one = seen(S02_RECORDS);
  const isLostAt = (ms: number) => leadAt(linesOf(one.data), one.history.fromX + ms)?.isLost;
  expect([isLostAt(45_000), isLostAt(45_200)]).toEqual([false, true]);
});

test('unknown values have no part in bounds', () => {
  expect(boundsOf([Number.NaN, 4, 2, Number.NaN])).toEqual({ min: 2, max: 4 });
  expect(boundsOf([Number.NaN]).min).toBe(Number.POSITIVE_INFINITY);
});
