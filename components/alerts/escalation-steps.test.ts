import { expect, test } from 'vitest';
import { escalationSteps } from '@/components/alerts/escalation-steps';
import type { AlertItem } from '@/lib/alerting/answer-schema';

const NOW = Date.UTC(2025, 11, 1, 2, 20);
const FIRED: AlertItem = {
  rule: 'r',
  severity: 'error',
  kind: 'breach',
  state: 'firing',
  labels: {},
  value: 1,
  since: '2025-12-01T02:14:00.000Z',
  opened_at: '2025-12-01T02:14:00.000Z',
  headline: 'h',
  next_step: 'n',
  condition: 'c',
  runbook: null,
  quiet: null,
  group: 'g',
  episode: 1,
  told_at: '2025-12-01T02:15:00.000Z',
  acknowledged_at: null,
  acknowledged_by: null,
  escalates_at: '2025-12-01T02:30:00.000Z',
  escalated_at: null,
  escalate_channels: ['second-line'],
};
const wordsOf = (alert: AlertItem) => escalationSteps(alert, NOW).map(({ name, words, state }) => `${name} ${words} (${state})`);

test('an unacknowledged alert says when it goes to the second channel', () => {
  expect(wordsOf(FIRED)).toEqual([
    'fired 02:14 UTC (done)',
    'told 02:15 UTC (done)',
    'escalated to second-line in 10 min unless acknowledged (coming)',
  ]);
});

test('an acknowledgement spares the second channel', () => {
  const acked = { ...FIRED, acknowledged_at: '2025-12-01T02:16:00.000Z', acknowledged_by: 'kim', escalates_at: null };
  expect(wordsOf(acked).slice(2)).toEqual(['acknowledged 02:16 UTC by kim (done)', 'escalated to second-line not needed (spared)']);
});

test('what has gone to the second channel says when', () => {
  const escalated = { ...FIRED, escalates_at: null, escalated_at: '2025-12-01T02:19:00.000Z' };
  expect(wordsOf(escalated).at(-1)).toBe('escalated to second-line 02:19 UTC (done)');
});

test.each([
  [{ ...FIRED, opened_at: null, told_at: null }, ['past its threshold 02:14 UTC (done)', 'fires when it lasts (coming)']],
  [
    { ...FIRED, told_at: null, escalates_at: null, escalate_channels: [], quiet: 'silenced' as const },
    ['fired 02:14 UTC (done)', 'told kept quiet (spared)'],
  ],
  [{ ...FIRED, told_at: null, escalates_at: null, escalate_channels: [] }, ['fired 02:14 UTC (done)', 'told shortly (coming)']],
])('an alert that was not told says why: %#', (alert, words) => {
  expect(wordsOf(alert)).toEqual(words);
});
