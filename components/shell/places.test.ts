import { expect, test } from 'vitest';
import { isDensePage, isInPlace, looksAtTime, PLACES } from '@/components/shell/places';

test.each([
  ['/', 'Overview'],
  ['/attempts', 'Attempts'],
  ['/attempts/0b1e', 'Attempts'],
  ['/sessions/ab12', 'Sessions'],
  ['/servers', 'Servers'],
  ['/incidents/0b1e', 'Incidents'],
  ['/whatif', 'What if'],
  ['/alerts/rules/blind', 'Alerts'],
])('%s lies in exactly one place, %s', (pathname, name) => {
  expect(PLACES.filter((place) => isInPlace(place, pathname)).map((place) => place.name)).toEqual([name]);
});

test.each([
  ['/', false],
  ['/attempts', true],
  ['/attempts/0b1e', false],
  ['/sessions', true],
  ['/sessions/ab12', true],
])('%s is dense: %s', (pathname, isDense) => {
  expect(isDensePage(pathname)).toBe(isDense);
});

test.each([
  ['/', true],
  ['/attempts', true],
  ['/attempts/0b1e', false],
  ['/servers/payments', true],
  ['/incidents', false],
  ['/tail', false],
])('what %s shows depends on the range: %s', (pathname, looks) => {
  expect(looksAtTime(pathname)).toBe(looks);
});
