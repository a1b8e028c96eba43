import { expect, test } from 'vitest';
import { changeOf, geometricStops, isUnchanged, NO_CHANGE, nearestStop, readAmount } from '@/components/whatif/change-draft';
import { decodeChange } from '@/lib/whatif/change';

test('a draft that changes nothing is no change', () => {
  expect(changeOf(NO_CHANGE)).toEqual({});
});

test('a draft is unchanged until one part of it is not, a false included', () => {
  expect(isUnchanged(NO_CHANGE)).toBe(true);
  expect(isUnchanged({ ...NO_CHANGE, generationCheck: false })).toBe(false);
});

test.each([
  ['128', 128],
  ['1.5', 1.5],
  ['0', null],
  ['-1', null],
  ['1e3', null],
  ['9007199254740993', null],
  ['', null],
])('the amount %j of an address is read as %j', (text, amount) => {
  expect(readAmount(text)).toBe(amount);
});

test('every draft is a change as the API reads it, in its units', () => {
  const change = changeOf({ events: 128, bytes: 4096, ttlS: 1.5, floor: 'retained', generationCheck: false, reconnectS: 31.1 });
  expect(change).toEqual({
    buffer: { events: 128, bytes: 4096, ttl_ms: 1500 },
    floor: 'retained',
    generation_check: false,
    reconnect_ms: 31_100,
  });
  expect(decodeChange(change).ok).toBe(true);
});

test.each([1, 7, 100, 5_000, 1_000_000])('stops rise to %d, few enough for a slider', (most) => {
  const stops = geometricStops(most);
  expect(stops.at(-1)).toBe(most);
  expect([...stops].sort((a, b) => a - b)).toEqual(stops);
  expect(new Set(stops).size).toBe(stops.length);
  expect(stops.length).toBeLessThan(90);
});

test('a value finds the stop next to it', () => {
  const stops = geometricStops(100);
  for (const [place, stop] of stops.entries()) expect(nearestStop(stops, stop)).toBe(place);
  expect(nearestStop(stops, 1_000)).toBe(stops.length - 1);
  expect(nearestStop(stops, 0)).toBe(0);
});
