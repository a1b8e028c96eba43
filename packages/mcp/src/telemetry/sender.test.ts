import { expect, test } from 'vitest';
import type { Transport } from './batch.js';
import { Sender } from './sender.js';
import type { TelemetryProblem } from './stats.js';

/** A sender over a transport whose sending is given. */
function senderOver(send: Transport['send']) {
  const problems: TelemetryProblem[] = [];
  const sender = new Sender({
    transport: { window: 1, send, close: () => undefined },
    spool: null,
    producer: 'p',
    epoch: 'e',
    began: 0,
    maxQueuedRecords: 100,
    maxQueuedBytes: 10_000,
    overflow: 'drop_newest',
    maxBatchRecords: 10,
    flushIntervalMs: 60_000,
    maxAttempts: 2,
    retryBaseMs: 1,
    retryMaxMs: 1,
    probeIntervalMs: 1,
    tell: (problem) => problems.push(problem),
  });
  return { sender, problems };
}

test.each([
  {
    name: 'throws',
    send: () => {
      throw new TypeError('no header may hold that');
    },
  },
  { name: 'rejects', send: () => Promise.reject(new TypeError('no header may hold that')) },
])('a transport that $name fails on the batch: it is tried again, given up and counted, and the sender goes on', async ({ send }) => {
  let isBroken = true;
  const { sender, problems } = senderOver(() => (isBroken ? send() : Promise.resolve({ kind: 'stored', rejected: 0, firstProblem: null })));
  sender.push('{"n":1}');
  await sender.flush();
  expect([problems, sender.stats]).toMatchObject([
    [{ code: 'delivery_failed', message: 'the transport failed: no header may hold that' }],
    { queued: 0, dropped: 1 },
  ]);
  isBroken = false;
  sender.push('{"n":2}');
  await sender.flush();
  expect(sender.stats).toMatchObject({ queued: 0, dropped: 1, sent: 1 });
});
