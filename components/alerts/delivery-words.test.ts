import { expect, test } from 'vitest';
import { answerWords, whenWords } from '@/components/alerts/delivery-words';
import type { DeliveryItem } from '@/lib/alerting/answer-schema';

const NOW = Date.UTC(2025, 11, 1, 3, 0);
const ITEM: DeliveryItem = {
  id: 'd',
  channel: 'c',
  rule: 'r',
  kind: 'open',
  state: 'pending',
  attempts: 1,
  created_at: '2025-12-01T02:00:00.000Z',
  next_at: '2025-12-01T03:10:00.000Z',
  finished_at: null,
  dead_reason: null,
  status: 503,
  latency_ms: 12,
  error: 'answered 503',
};

test.each([
  [{}, 'waiting, next attempt in 10 min'],
  [{ next_at: '2025-12-01T02:59:00.000Z' }, 'waiting, due now'],
  [{ state: 'delivered', next_at: null }, 'delivered'],
  [{ state: 'dead', next_at: null, dead_reason: 'endpoint_gone' }, 'given up: the receiver answered 410 Gone'],
  [{ state: 'dead', next_at: null, dead_reason: 'something_new' }, 'given up: something_new'],
  [{ state: 'superseded', next_at: null }, 'replaced by a newer one'],
] as const)('a message of %j says its state', (part, words) => {
  expect(whenWords({ ...ITEM, ...part }, NOW)).toBe(words);
});

test.each([
  [{}, 'answered 503'],
  [{ attempts: 0, status: null, error: null }, 'not sent yet'],
  [{ status: 204, error: null }, '204'],
  [{ status: null, error: null }, 'no answer'],
])('an attempt of %j says what came back', (part, words) => {
  expect(answerWords({ ...ITEM, ...part })).toBe(words);
});
