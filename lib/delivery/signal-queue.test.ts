import { expect, test, vi } from 'vitest';
import { type Signal, SignalQueue } from '@/lib/delivery/signal-queue';

const signal = (detail: string): Signal => ({ code: 'proxy_breaker', server: 's', reason: 'r', detail });

test('what is raised while the database is away is stored when it is back, once and in order', async () => {
  const stored: string[] = [];
  let isAway = true;
  const errors: unknown[] = [];
  const queue = new SignalQueue({
    store: (signals) => {
      if (isAway) return Promise.reject(new Error('away'));
      stored.push(...signals.map(({ detail }) => detail));
      return Promise.resolve();
    },
    now: () => 0,
    onStored: () => undefined,
    onError: (cause) => errors.push(cause),
  });
  queue.raise(signal('a'));
  await vi.waitUntil(() => errors.length > 0, { timeout: 30_000 });
  queue.raise(signal('b'));
  isAway = false;
  await queue.close();
  expect(stored).toEqual(['a', 'b']);
});

test('a queue that cannot be emptied keeps the newest hundred', async () => {
  const stored: string[] = [];
  const queue = new SignalQueue({
    store: async (signals) => void stored.push(...signals.map(({ detail }) => detail)),
    now: () => 0,
    onStored: () => undefined,
    onError: () => undefined,
  });
  for (let index = 0; index < 150; index += 1) queue.raise(signal(String(index)));
  await queue.close();
  expect(stored).toEqual(Array.from({ length: 100 }, (_, index) => String(index + 50)));
});
