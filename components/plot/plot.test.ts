import { expect, test } from 'vitest';
import { typedSteps } from '@/components/api/timeline';
import { plotFrame } from '@/components/plot/plot-frame';
import { plotOfTimeline } from '@/components/plot/plot-of-timeline';
import { bandPath, clientPaths, stepPath } from '@/components/plot/plot-paths';
import { partsOf, positionDomain, positionScale, positionTicks, stretchAt, xScale } from '@/components/plot/plot-scale';
import { SAMPLE_S01 } from '@/components/samples/s01';
import { SAMPLE_S02 } from '@/components/samples/s02';
import { foldTimeline } from '@/lib/replay/fold-timeline';
import { decodeRecord } from '@/lib/wire/decode-record';
import type { TelemetryRecord } from '@/lib/wire/schema';
import s01 from '@/tests/histories/S01.json';

const stepsOf = (records: readonly TelemetryRecord[]) => typedSteps(foldTimeline(records));
const START = Date.UTC(2025, 11, 1, 2, 14);
const built = (sample: typeof SAMPLE_S01) => plotOfTimeline(stepsOf(sample.records(START, 'token', () => crypto.randomUUID())));

test('S02 draws the hole, the gap of nine under the cursor, and the replay above it', () => {
  const plot = built(SAMPLE_S02);
  expect(plot.axis).toBe('time');
  expect(plot.stretches).toHaveLength(1);
  expect(plot.stretches[0]?.holes).toMatchObject([{ range: { first: 1043n, last: 1051n }, toX: plot.toX }]);
  expect(plot.attempts).toMatchObject([
    { mark: 'unsafe_resume', cursor: 1042n, gaps: [{ first: 1043n, last: 1051n }], gapCount: 9n, replay: { first: 1052n, last: 1075n } },
  ]);
});

test('S02 shows the client away at 1042 before it is told that it has caught up', () => {
  const [line] = built(SAMPLE_S02).clients;
  expect(line?.filter((point) => point.isAway).map((point) => point.position)).toContain(1042n);
  expect(line?.at(-1)?.position).toBe(1075n);
});

test('S01 has a labelled boundary between two generations, and no gap where the numbering is another', () => {
  const plot = built(SAMPLE_S01);
  expect(plot.stretches.map(({ generation, cause }) => [generation, cause])).toEqual([
    ['1', null],
    ['2', 'boot n1, restored'],
  ]);
  expect(plot.attempts).toMatchObject([
    { mark: 'unsafe_resume', cursor: 1040n, gaps: [], replay: { first: 1041n, last: 1099n } },
    { mark: 'unsafe_resume', cursor: 1040n, gaps: [], replay: { first: 1041n, last: 1099n } },
  ]);
});

test('the client line ends with its generation: its position says nothing in the next one', () => {
  const plot = built(SAMPLE_S01);
  const boundary = plot.stretches[1]?.fromX ?? 0;
  expect(plot.clients[0]?.every((point) => point.x <= boundary)).toBe(true);
});

test('a history without a clock is drawn by the order of its records', () => {
  const records = (s01[0]?.records ?? []).map((record): TelemetryRecord => {
    const decoded = decodeRecord(record);
    if (!decoded.ok) throw new Error(decoded.error.message);
    return decoded.value;
  });
  const plot = plotOfTimeline(stepsOf(records));
  expect([plot.axis, plot.fromX, plot.toX]).toEqual(['order', 0, records.length - 1]);
});

test('nothing at all is an empty picture', () => {
  const plot = plotOfTimeline([]);
  expect(plot).toMatchObject({ stretches: [], clients: [], attempts: [] });
  expect(positionDomain(plot)).toBeNull();
});

test('positions near 2^63 are as sharp as small ones', () => {
  const max = 9_223_372_036_854_775_807n;
  const large = positionScale({ min: max - 100n, max }, 0, 200);
  const small = positionScale({ min: 0n, max: 100n }, 0, 200);
  for (const offset of [0n, 1n, 50n, 100n]) expect(large(max - 100n + offset)).toBe(small(offset));
  expect(small(100n)).toBeLessThan(small(0n));
});

test.each([
  [1000n, 1100n, 5],
  [0n, 7n, 4],
  [9_223_372_036_854_775_000n, 9_223_372_036_854_775_807n, 6],
])('ticks of %d to %d lie inside and are not too many', (min, max, most) => {
  const ticks = positionTicks({ min, max }, most);
  expect(ticks.length).toBeGreaterThan(0);
  expect(ticks.length).toBeLessThanOrEqual(most + 1);
  expect(ticks.every((tick) => tick >= min && tick <= max)).toBe(true);
});

const xOf = xScale(0, 100, 0, 108);
const yOf = (position: bigint) => Number(-position);

test('a step line is flat between changes and broken where the log is not known', () => {
  const log = [
    { x: 0, floor: 1n, head: 5n },
    { x: 10, floor: 1n, head: null },
    { x: 20, floor: 1n, head: 9n },
    { x: 30, floor: 1n, head: 10n },
  ];
  expect(stepPath(log, 'head', 100, (x) => x, yOf)).toBe('M0.0 -5.0H10.0M20.0 -9.0H30.0V-10.0H100.0');
});

test('an empty log fills no band', () => {
  expect(bandPath([{ x: 0, floor: 6n, head: 5n }], 100, xOf, yOf)).toBe('');
  expect(bandPath([{ x: 0, floor: 5n, head: 5n }], 100, xOf, yOf)).toMatch(/^M.*Z$/);
});

test('the client is drawn dashed exactly while it is away', () => {
  const line = [
    { x: 0, position: 1n, isAway: false },
    { x: 10, position: 2n, isAway: false },
    { x: 20, position: 2n, isAway: true },
    { x: 30, position: 9n, isAway: false },
  ];
  expect(clientPaths(line, (x) => x, yOf)).toEqual({ attached: 'M0.0 -1.0H10.0V-2.0M10.0 -2.0H20.0V-2.0', away: 'M20.0 -2.0H30.0' });
});

test('each generation has a scale of its own, and an attempt is placed in the one that was live', () => {
  const plot = built(SAMPLE_S01);
  expect(plot.stretches).toHaveLength(2);
  const frame = plotFrame(plot, 800, 400, false);
  if (frame === null) throw new Error('no position to draw');
  const [first, second] = partsOf(plot).map((part) => positionDomain(part));
  expect(first).not.toEqual(second);
  for (const [index, domain] of [first, second].entries()) {
    const x = plot.stretches[index]?.fromX ?? 0;
    const scale = frame.scaleAt(x);
    expect(stretchAt(plot, x)).toBe(index);
    expect(scale(domain?.max ?? 0n)).toBeLessThan(frame.top + (frame.bottom - frame.top) * 0.1);
    expect(scale(domain?.min ?? 0n)).toBeGreaterThan(frame.bottom - (frame.bottom - frame.top) * 0.1);
  }
  expect(partsOf(plot).flatMap((part) => part.attempts)).toHaveLength(plot.attempts.length);
});
