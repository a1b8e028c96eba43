import { expect, test } from 'vitest';
import { hrefOfPlace, isDensePage, isInPlace, PLACES } from '@/components/shell/places';

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
  ['Overview', null, '/'],
  ['Overview', 'a & b', '/?project=a%20%26%20b'],
  ['Attempts', 'pay', '/attempts?project=pay'],
  ['Alerts', 'pay', '/alerts'],
])('%s, looked at for the project %s, is at %s', (name, project, href) => {
  expect(PLACES.filter((place) => place.name === name).map((place) => hrefOfPlace(place, project))).toEqual([href]);
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
