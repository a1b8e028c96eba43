import { describe, expect, test } from 'vitest';
import { Pace } from '@/lib/intake/pace';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const ONE = { sender: 'a key', party: 'a server' };

describe('work on records', () => {
  test('is done at once while the turn has room, then a bounded number of records per turn, in the order asked for', async () => {
    const pace = new Pace();
    const done: number[] = [];
    const work = (index: number) => () => {
      done.push(index);
      pace.spend(200);
      return null;
    };
    const answers = Array.from({ length: 6 }, (_, index) => pace.run(work(index), ONE));
    expect(done).toEqual([0, 1]);
    expect(answers.slice(0, 2)).toEqual([null, null]);
    await turn();
    expect(done).toEqual([0, 1, 2, 3]);
    await Promise.all(answers);
    expect(done).toEqual([0, 1, 2, 3, 4, 5]);
  });

  test('that fails tells who asked for it and nobody else', async () => {
    const pace = new Pace();
    const fail = (): never => {
      throw new Error('unreadable');
    };
    expect(() => pace.run(fail, ONE)).toThrow('unreadable');
    pace.spend(1_000);
    const failing = pace.run(fail, ONE);
    const next = pace.run(() => null, ONE);
    await expect(failing).rejects.toThrow('unreadable');
    await expect(next).resolves.toBeUndefined();
  });

  test('that has to wait for something holds up its own sender only', async () => {
    const pace = new Pace();
    let release = (): void => undefined;
    const held = pace.run(() => new Promise<void>((resolve) => (release = resolve)), ONE);
    expect(pace.run(() => null, ONE)).toBeNull();
    release();
    await expect(held).resolves.toBeUndefined();
  });

  test('of one sender waits for one piece of every other, however many servers they send for', async () => {
    const pace = new Pace();
    const done: string[] = [];
    const work = (name: string) => () => {
      done.push(name);
      pace.spend(256);
      return null;
    };
    const noisy = Array.from({ length: 20 }, (_, i) => pace.run(work('noisy'), { sender: 'noisy', party: `server ${i}` }));
    await Promise.all([...noisy, pace.run(work('quiet'), { sender: 'quiet', party: 'server 0' })]);
    expect(done.indexOf('quiet')).toBe(2);
  });
});
