import { afterAll, afterEach, beforeAll } from 'vitest';
import { type RedisServer, redisServer } from '@/tests/proxy/redis-server';

/** A Redis that runs for the tests of one file, and what is to be undone after each of them, latest first. */
export function redisOfFile(): { readonly redis: RedisServer; readonly cleanups: (() => Promise<void>)[] } {
  const cleanups: (() => Promise<void>)[] = [];
  let server: RedisServer | null = null;
  const running = (): RedisServer => {
    if (server === null) throw new Error('Redis runs within tests only');
    return server;
  };
  beforeAll(async () => {
    server = await redisServer();
  });
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  });
  afterAll(() => server?.stop());
  const redis: RedisServer = {
    get url() {
      return running().url;
    },
    kill: () => running().kill(),
    restart: () => running().restart(),
    stop: () => running().stop(),
  };
  return { redis, cleanups };
}
