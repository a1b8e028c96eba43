import { expect, test } from 'vitest';
import { alertSentence, labelWords, valueWords } from '@/components/alerts/alert-words';
import type { AlertItem } from '@/lib/alerting/answer-schema';

const NOW = Date.UTC(2025, 11, 1, 3, 7);
const alert = (part: Partial<AlertItem> = {}): AlertItem => ({
  rule: 'unsafe-resume',
  severity: 'critical',
  kind: 'breach',
  state: 'firing',
  labels: { server: 'pay' },
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
  told_at: '2025-12-01T02:14:00.000Z',
  acknowledged_at: null,
  acknowledged_by: null,
  escalates_at: null,
  escalated_at: null,
  escalate_channels: [],
  ...part,
});

test.each([
  [[], 'calm', 'No alert is firing.', '0 pending, 0 recovering.'],
  [[alert({ state: 'pending', opened_at: null })], 'calm', 'No alert is firing.', '1 pending, 0 recovering.'],
  [
    [alert(), alert({ rule: 'blind', opened_at: '2025-12-01T02:10:00.000Z' })],
    'loud',
    '2 alerts are firing since 02:10 UTC: unsafe-resume and blind.',
    '2 not acknowledged; 0 pending, 0 recovering.',
  ],
  [
    [alert({ acknowledged_at: '2025-12-01T02:20:00.000Z' })],
    'loud',
    '1 alert is firing since 02:14 UTC: unsafe-resume.',
    'Everything that was told is acknowledged; 0 pending, 0 recovering.',
  ],
  [
    [alert({ quiet: 'silenced' }), alert({ quiet: 'inhibited' })],
    'quiet',
    '2 alerts firing, all of them kept quiet.',
    'Everything that was told is acknowledged; 1 silenced; 1 told with their cause; 0 pending, 0 recovering.',
  ],
] as const)('the sentence of %# says what fires and who has taken it on', (items, tone, text, details) => {
  expect(alertSentence(items, NOW)).toEqual({ tone, text, details });
});

test('labels in words never leave a value out', () => {
  expect(labelWords({})).toBe('all servers');
  expect(labelWords({ alert_kind: 'error' })).toBe('all servers');
  expect(labelWords({ server: 'pay', node: '' })).toBe('server pay, node unknown');
});

test.each([
  [null, 'unknown'],
  [0, '0'],
  [12345, '12,345'],
  [0.23456, '0.235'],
])('%s is written %s', (value, text) => {
  expect(valueWords(value)).toBe(text);
});
