import { expect, test } from 'vitest';
import { createTidemark, type TidemarkOptions } from './tidemark.js';

const NUMBERS: readonly (keyof TidemarkOptions)[] = [
  'maxQueuedRecords',
  'maxQueuedBytes',
  'maxBatchRecords',
  'flushIntervalMs',
  'timeoutMs',
  'maxAttempts',
  'retryBaseMs',
  'retryMaxMs',
  'probeIntervalMs',
  'maxRecordsAtHand',
  'maxBytesAtHand',
  'wholeMs',
  'maxSessions',
  'maxIdsPerSession',
];

test.each(NUMBERS)('%s that cannot work is refused at once, by its name', (option) => {
  for (const value of [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY]) {
    expect(() => createTidemark({ url: 'http://127.0.0.1:1', server: 's', [option]: value })).toThrow(new RegExp(`^${option} must be`));
  }
});

test.each(['maxRecordsAtHand', 'maxBatchRecords', 'maxQueuedRecords', 'timeoutMs'])('%s of nothing is refused too', (option) => {
  expect(() => createTidemark({ url: 'http://127.0.0.1:1', server: 's', [option]: 0 })).toThrow(
    `${option} must be a whole number, at least 1`,
  );
});
