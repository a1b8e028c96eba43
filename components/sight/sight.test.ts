import { expect, test } from 'vitest';
import { withSight } from '@/components/sight/sight';

const NOW = 'range=2025-12-01T01:00:00.000Z..2025-12-01T02:00:00.000Z&project=a+%26+b&zone=local&server=x&peek=y';
const RANGE = 'range=2025-12-01T01:00:00.000Z..2025-12-01T02:00:00.000Z';

test.each([
  ['a page', '/attempts', `/attempts?${RANGE}&project=a%20%26%20b&zone=local`],
  ['a page with a filter', '/attempts?mark=refused', `/attempts?mark=refused&${RANGE}&project=a%20%26%20b&zone=local`],
  ['what the address names itself', '/attempts?range=30d&project=c', '/attempts?range=30d&project=c&zone=local'],
  ['a place on a page', '/docs/findings/gap#fix', `/docs/findings/gap?${RANGE}&project=a%20%26%20b&zone=local#fix`],
  ['a page of no project', '/alerts/rules/x', `/alerts/rules/x?${RANGE}&zone=local`],
  ['the settings', '/settings?tab=keys', `/settings?tab=keys&${RANGE}&zone=local`],
  ['the API', '/api/v1/incidents/x/report', '/api/v1/incidents/x/report'],
  ['another site', 'https://example.org/a', 'https://example.org/a'],
  ['another site without a scheme', '//example.org/a', '//example.org/a'],
  ['a place on this page', '#content', '#content'],
])('%s goes on looking at the same', (_, href, want) => {
  expect(withSight(href, new URLSearchParams(NOW))).toBe(want);
});

test.each(['', 'server=x', 'range=&project='])('with %j nothing is added', (query) => {
  expect(withSight('/attempts?mark=refused', new URLSearchParams(query))).toBe('/attempts?mark=refused');
});

test('the range that was carried is the range that is read', () => {
  const carried = withSight('/servers', new URLSearchParams(NOW));
  expect(new URL(carried, 'http://x').searchParams.get('range')).toBe(new URLSearchParams(NOW).get('range'));
  expect(new URL(carried, 'http://x').searchParams.get('project')).toBe('a & b');
});
