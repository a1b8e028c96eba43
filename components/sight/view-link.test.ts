import { expect, test } from 'vitest';
import { viewLink } from '@/components/sight/view-link';

const NOW = Date.UTC(2025, 11, 1, 3, 7, 5, 9);
const ABSOLUTE = { kind: 'absolute', fromMs: NOW - 5_000, toMs: NOW - 1_000 } as const;

test.each([
  [
    'a relative range has two ends',
    { range: { kind: 'relative', preset: '1h' } as const, zone: 'utc' as const, columns: null },
    'http://x/attempts?range=1h&mark=refused',
    'http://x/attempts?range=2025-12-01T02:07:05.009Z..2025-12-01T03:07:05.009Z&mark=refused&zone=utc',
  ],
  [
    'the default range too, from its hour',
    { range: { kind: 'relative', preset: '3h' } as const, zone: 'local' as const, columns: null },
    'http://x/',
    'http://x/?range=2025-12-01T00:00:00.000Z..2025-12-01T03:07:05.009Z&zone=local',
  ],
  [
    'two ends stay',
    { range: ABSOLUTE, zone: 'utc' as const, columns: null },
    'http://x/',
    'http://x/?range=2025-12-01T03:07:00.009Z..2025-12-01T03:07:04.009Z&zone=utc',
  ],
  [
    'columns that are remembered',
    { range: null, zone: 'utc' as const, columns: 'at,server' },
    'http://x/sessions',
    'http://x/sessions?zone=utc&cols=at,server',
  ],
  [
    'columns of the address',
    { range: null, zone: 'utc' as const, columns: 'at,server' },
    'http://x/sessions?cols=mark',
    'http://x/sessions?cols=mark&zone=utc',
  ],
  [
    'a page without a range',
    { range: null, zone: 'utc' as const, columns: null },
    'http://x/incidents/7?tables=plot#a',
    'http://x/incidents/7?tables=plot&zone=utc#a',
  ],
])('%s', (_, state, href, want) => {
  expect(viewLink(href, state, NOW)).toBe(want);
});
