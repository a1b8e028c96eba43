import { expect, test } from 'vitest';
import { tickWords, timeTicks } from '@/components/chart/time-ticks';

const AT = Date.UTC(2025, 11, 1, 0, 7);
const MINUTE = 60_000;

test('three hours have round ticks every half hour', () => {
  const ticks = timeTicks(AT, AT + 180 * MINUTE, 6);
  expect(ticks.map((at) => tickWords(at, ticks))).toEqual(['00:30', '01:00', '01:30', '02:00', '02:30', '03:00']);
});

test('seconds are told where ticks are under a minute apart', () => {
  const ticks = timeTicks(AT, AT + 30_000, 3);
  expect(ticks.map((at) => tickWords(at, ticks))).toEqual(['00:07:00', '00:07:10', '00:07:20', '00:07:30']);
});

test('a session of a quarter of a second has ticks in milliseconds', () => {
  const ticks = timeTicks(AT + 321, AT + 579, 6);
  expect(ticks.map((at) => tickWords(at, ticks))).toEqual(['07:00.350', '07:00.400', '07:00.450', '07:00.500', '07:00.550']);
});

test('a day that begins is named by its date', () => {
  const ticks = timeTicks(AT - 60 * MINUTE * 6, AT + 60 * MINUTE * 6, 4);
  expect(ticks.map((at) => tickWords(at, ticks))).toEqual(['21:00', '1/12', '03:00', '06:00']);
});

test('a tick that stands alone is told to the minute', () => {
  expect(tickWords(AT, [AT])).toBe('00:07');
  expect(tickWords(AT - 7 * MINUTE, [AT - 7 * MINUTE])).toBe('1/12');
});

test.each([
  [0, 6],
  [-1, 6],
  [MINUTE, 0],
])('a stretch of %i ms with room for %i ticks has none', (span, most) => {
  expect(timeTicks(AT, AT + span, most)).toEqual([]);
});

test('there are never more ticks than asked for, whatever the stretch', () => {
  for (let span = 3; span < 5e11; span *= 1.7) expect(timeTicks(AT, AT + span, 6).length).toBeLessThanOrEqual(7);
});
