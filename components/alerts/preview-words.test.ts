import { expect, test } from 'vitest';
import { previewWords } from '@/components/alerts/preview-words';
import type { PreviewAnswer } from '@/lib/alerting/answer-schema';

const at = (hour: number): string => new Date(Date.UTC(2025, 11, 1, hour)).toISOString();
const preview = (part: Partial<PreviewAnswer>): PreviewAnswer => ({
  from: new Date(Date.UTC(2025, 10, 24)).toISOString(),
  to: new Date(Date.UTC(2025, 11, 1)).toISOString(),
  fired: 0,
  episodes: [],
  points: [],
  ...part,
});
const value = (amount: number | null) => ({ at: at(0), value: amount, firing: 0 });

test('it says how often, how long, and what still fires', () => {
  const episodes = [
    { labels: {}, opened_at: at(-30), closed_at: at(-27) },
    { labels: {}, opened_at: at(-1), closed_at: null },
  ];
  expect(previewWords(preview({ fired: 2, episodes }), { op: '>=', threshold: 1 })).toBe(
    'It would have fired 2 times in the last 7 days. The longest lasted 3 h. 1 alert would still be firing.',
  );
});

test('when never, it says how close it came', () => {
  expect(previewWords(preview({ points: [value(3), value(null), value(7)] }), { threshold: 10 })).toBe(
    'It would not have fired in the last 7 days. The highest value was 7; it fires at >= 10.',
  );
  expect(previewWords(preview({ points: [value(30), value(12)] }), { op: '<', threshold: 10 })).toContain('The lowest value was 12');
});

test('nothing measured is unknown, not calm', () => {
  expect(previewWords(preview({ points: [value(null)] }), { threshold: 1 })).toContain('is unknown');
});
