import { expect, test } from 'vitest';
import { retryAfterMs } from './retry-after.js';

const NOW = Date.UTC(2026, 10, 30, 8, 0, 0);

test.each([
  { text: '3', want: 3000 },
  { text: '0', want: 0 },
  { text: ' 7 ', want: 7000 },
  { text: 'Mon, 30 Nov 2026 08:00:05 GMT', want: 5000 },
  { text: 'Mon, 30 Nov 2026 07:59:59 GMT', want: 0 },
  { text: '86400', want: 600_000 },
  { text: 'Tue, 30 Nov 2027 08:00:00 GMT', want: 600_000 },
  { text: 'soon', want: 0 },
  { text: '-5', want: 0 },
  { text: '1.5', want: 0 },
  { text: '', want: 0 },
  { text: null, want: 0 },
  { text: undefined, want: 0 },
])('retry-after $text is $want ms', ({ text, want }) => {
  expect(retryAfterMs(text, NOW)).toBe(want);
});
