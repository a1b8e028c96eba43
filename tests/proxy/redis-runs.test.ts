import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RedisLogStore } from '@/lib/proxy/redis/redis-log-store';
import { ROUTE_DEFAULTS } from '@/lib/proxy/route';
import { decide } from '@/lib/resume/decide';
import { locateCursor } from '@/lib/session-log/locate-cursor';
import { newEvent, newSession } from '@/tests/proxy/log-entries';
import { type RedisServer, redisServer } from '@/tests/proxy/redis-server';
import { until } from '@/tests/proxy/start-proxy';

/** Events that Redis has on disk, that it forgets, and who writes how many after it was restarted. */
interface Course {
  readonly saved: number;
  readonly lost: number;
  readonly writer: 'one' | 'two';
  readonly after: number;
}

const COURSES: Course[] = [1, 2].flatMap((saved) =>
  [0, 1, 2, 3, 4].flatMap((lost) =>
    (['one', 'two'] as const).flatMap((writer) => [0, 1, 2, 4].map((after) => ({ saved, lost, writer, after }))),
  ),
);
const keyOf = (course: Course): string => JSON.stringify(course);
const nameOf = (i: number): string => `event-of-the-stream-${i}`;

describe('Redis that was killed and comes back without its last writes', () => {
  let redis: RedisServer;
  const stores: RedisLogStore[] = [];

  async function replica(node: string): Promise<RedisLogStore> {
    const store = new RedisLogStore({ url: redis.url, node, clock: Date.now, retention: ROUTE_DEFAULTS.buffer, onError: () => undefined });
    stores.push(store);
    await store.ready();
    return store;
  }

  async function append(store: RedisLogStore, course: Course, from: number, count: number): Promise<void> {
    for (let i = 1; i <= count; i++) await store.append(keyOf(course), 'get', null, [newEvent(nameOf(from + i))]);
  }

  /** What a replica says of a cursor. */
  async function verdictAt(store: RedisLogStore, key: string, id: string) {
    const { session, log, request } = locateCursor(await store.find(key), 'p', id, null);
    const { verdict, replay } = decide({ floor: 'successor' }, session, log, request);
    return verdict === 'resume' ? `resume ${replay?.count}` : verdict;
  }

  beforeAll(async () => {
    redis = await redisServer('saved');
    const one = await replica('one');
    const two = await replica('two');
    for (const course of COURSES) {
      await one.begin(keyOf(course), newSession());
      await append(one, course, 0, course.saved);
    }
    const admin = new Redis(redis.url);
    await admin.save();
    admin.disconnect();
    for (const course of COURSES) await append(one, course, course.saved, course.lost);
    await redis.kill();
    await redis.restart();
    await until(() =>
      Promise.all([one, two].map((store) => store.find('none'))).then(
        () => true,
        () => false,
      ),
    );
    for (const course of COURSES) await append(course.writer === 'one' ? one : two, course, course.saved + course.lost, course.after);
    await replica('three');
  });

  afterAll(async () => {
    for (const store of stores) await store.close();
    await redis.stop();
  });

  test('no cursor from before is resumed and those since are, at every replica, whatever was lost and whoever wrote since', async () => {
    for (const course of COURSES) {
      const before = course.saved + course.lost;
      for (const [node, store] of stores.entries()) {
        const said: string[] = [];
        for (let i = 1; i <= before + course.after; i++) said.push(await verdictAt(store, keyOf(course), nameOf(i)));
        const due = [...Array(before).fill('refuse'), ...Array.from({ length: course.after }, (_, i) => `resume ${course.after - 1 - i}`)];
        expect([course, node, said]).toEqual([course, node, due]);
      }
    }
  });

  test('the generation is another one, of one name at every replica', async () => {
    for (const course of COURSES) {
      const generations = await Promise.all(stores.map(async (store) => (await store.find(keyOf(course)))?.generation));
      expect([course, new Set(generations).size, generations[0]?.endsWith('.1')]).toEqual([course, 1, false]);
    }
  });

  test('where the changes of a session are gone, no copy vouches for what it does not know', async () => {
    const [one, two] = stores;
    await one?.begin('evicted', newSession());
    await one?.append('evicted', 'get', null, [newEvent(nameOf(1))]);
    await two?.find('evicted');
    await one?.append('evicted', 'get', null, [newEvent(nameOf(2))]);
    const admin = new Redis(redis.url);
    await admin.del('tidemark:{evicted}:ops');
    admin.disconnect();
    for (const store of stores.slice(1)) expect(await store.find('evicted')).toBeNull();
    await one?.begin('evicted', { ...newSession(), isHeardFromStart: false });
    for (const store of stores) expect(await verdictAt(store, 'evicted', nameOf(1))).toBe('refuse');
  });
});
