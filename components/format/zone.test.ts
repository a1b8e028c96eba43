import { afterEach, beforeEach, expect, test } from 'vitest';
import { tickWords, timeTicks } from '@/components/chart/time-ticks';
import { dayOf, fullInstant, sinceWords, timeOfDay } from '@/components/format/instant';
import { fromShownZone, inShownZone, showIn, zoneName } from '@/components/format/zone';
import { parseTypedInstant, typedInstant } from '@/components/time-range/typed-instant';

const WINTER = Date.UTC(2025, 11, 1, 23, 14, 49, 318);
const SUMMER = Date.UTC(2026, 6, 1, 12);
const zoneOfTests = process.env['TZ'];

beforeEach(() => {
  process.env['TZ'] = 'Europe/Berlin';
  showIn('local');
});
afterEach(() => {
  if (zoneOfTests === undefined) delete process.env['TZ'];
  else process.env['TZ'] = zoneOfTests;
  showIn('utc');
});

test('local times read as the clock on the wall, and name their offset', () => {
  expect([timeOfDay(WINTER), timeOfDay(SUMMER, 'min')]).toEqual(['00:14:49.318', '14:00']);
  expect([zoneName(WINTER), zoneName(SUMMER)]).toEqual(['UTC+01:00', 'UTC+02:00']);
  expect(fullInstant(WINTER)).toBe('2025-12-02 00:14:49.318 UTC+01:00');
  expect(dayOf(WINTER, WINTER)).toBe('2 December');
  expect(sinceWords(WINTER, WINTER + 3_600_000)).toBe('00:14 UTC+01:00');
});

test('a local time that is typed means the instant that is shown so', () => {
  expect(parseTypedInstant(typedInstant(WINTER), WINTER)).toBe(WINTER - 318);
  expect(parseTypedInstant('00:10', WINTER)).toBe(Date.UTC(2025, 11, 1, 23, 10));
  for (const at of [WINTER, SUMMER]) expect(fromShownZone(inShownZone(at))).toBe(at);
});

test('days of an axis begin at local midnight', () => {
  const ticks = timeTicks(Date.UTC(2025, 11, 1), Date.UTC(2025, 11, 4), 4);
  expect(ticks.map((tick) => timeOfDay(tick, 'min'))).toEqual(ticks.map(() => '00:00'));
  expect(ticks.map((tick) => tickWords(tick, ticks))).toEqual(['2/12', '3/12', '4/12']);
});

test('UTC stays UTC wherever the browser is', () => {
  showIn('utc');
  expect([timeOfDay(WINTER, 's'), zoneName(WINTER)]).toEqual(['23:14:49', 'UTC']);
});
