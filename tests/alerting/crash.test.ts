import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { LEASE_MS } from '@/lib/delivery/worker';
import { startReceiver } from '@/tests/alerting/receiver';
import { enqueue, message, openWorld, stateOf, TestClock, webhook, workerFor } from '@/tests/alerting/world';

const world = openWorld();
const DYING = fileURLToPath(new URL('./dying-worker.ts', import.meta.url));

test.each([
  { moment: 'before', name: 'between commit and send', arrivals: 1 },
  { moment: 'after', name: 'between send and record', arrivals: 2 },
])('a process killed $name: the message arrives at least once, always under the same id', async ({ moment, arrivals }) => {
  const clock = new TestClock();
  const sink = await startReceiver();
  const channel = webhook(sink.url);
  const next = await workerFor(world, clock, [channel]);
  const delivery = message(channel.name);
  await enqueue(world, clock, [delivery]);

  const child = spawn(
    process.execPath,
    ['--import', 'tsx', DYING, moment, JSON.stringify({ address: world.address, channel }), String(clock.nowMs)],
    {
      stdio: 'inherit',
    },
  );
  expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);

  // The dead process still holds its lease: nobody sends until it runs out.
  expect(await next.drain()).toBe(0);
  clock.advance(LEASE_MS);
  expect(await next.drain()).toBe(1);
  expect(await stateOf(world.sql, delivery.id)).toBe('delivered');
  expect(sink.requests.map(({ id }) => id)).toEqual(Array.from({ length: arrivals }, () => delivery.id));
  await sink.stop();
});
