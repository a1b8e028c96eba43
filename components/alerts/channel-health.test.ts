import { expect, test } from 'vitest';
import { channelHealth } from '@/components/alerts/channel-health';
import type { ChannelItem } from '@/lib/alerting/answer-schema';

const NOW = Date.UTC(2025, 11, 1, 3, 0);
const WELL: ChannelItem = {
  name: 'c',
  type: 'webhook',
  target: 'https://x.example',
  origin: 'api',
  is_read_only: false,
  has_secret: true,
  rotating_until: null,
  failures: 0,
  paused_until: null,
  disabled_reason: null,
  waiting: 0,
  dead: 0,
};

test.each([
  [{}, true, 'Well'],
  [{ rotating_until: '2025-12-01T04:00:00.000Z' }, true, 'Well; both secrets sign until 04:00 UTC'],
  [{ waiting: 1 }, true, 'Well; 1 message waiting'],
  [{ dead: 2 }, false, 'Well; 2 messages given up'],
  [
    { failures: 3, paused_until: '2025-12-01T03:02:00.000Z', waiting: 2 },
    false,
    '3 failures in a row, tried again in 2 min; 2 messages waiting',
  ],
  [{ failures: 1, paused_until: '2025-12-01T02:59:00.000Z' }, false, '1 failure in a row, being tried again'],
  [{ disabled_reason: 'answered 410 Gone', failures: 1 }, false, 'Disabled: it answered 410 Gone'],
])('a channel of %j says how it fares', (part, isWell, words) => {
  expect(channelHealth({ ...WELL, ...part }, NOW)).toEqual({ isWell, words });
});
