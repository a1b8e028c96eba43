import { describe, expect, test } from 'vitest';
import { type CommitLimits, CommitQueue } from '@/lib/intake/commit-queue';
import { prepareRecord } from '@/lib/intake/prepare-record';
import type { RecordToStore, StoreOutcome } from '@/lib/store/record-to-store';

const LIMITS: CommitLimits = { recordsMax: 10, charsMax: 10_000, groupMax: 6, flightsMax: 1, besideMin: 1, besideMs: 0 };
const NONE: StoreOutcome = { duplicates: new Set(), refused: new Map() };

function records(count: number, server = 'alpha'): RecordToStore[] {
  const receipt = { at: 1_796_000_000_000, nextArrival: () => 1, sessionRef: () => '', project: null, isNumbered: false };
  return Array.from({ length: count }, () => {
    const prepared = prepareRecord({ type: 'boot', server }, receipt);
    if (!prepared.ok) throw new Error(prepared.error.message);
    return prepared.value;
  });
}

/** A store whose commits the test lets through one by one. */
function heldStore() {
  const groups: { size: number; commit: () => void }[] = [];
  let arrived: () => void = () => undefined;
  const store = (group: readonly RecordToStore[]): Promise<StoreOutcome> =>
    new Promise((resolve) => {
      groups.push({ size: group.length, commit: () => resolve(NONE) });
      arrived();
    });
  const next = async (): Promise<{ size: number; commit: () => void }> => {
    if (groups.length === 0)
      await new Promise<void>((resolve) => {
        arrived = resolve;
      });
    const group = groups.shift();
    if (group === undefined) throw new Error('no group arrived');
    return group;
  };
  return { store, next };
}

describe('group commit', () => {
  test('what waits goes out together, up to the size of a group', async () => {
    const { store, next } = heldStore();
    const queue = new CommitQueue(store, () => false, { ...LIMITS, recordsMax: 20 });
    const answers = [queue.submit(records(1))];
    const first = await next();
    answers.push(queue.submit(records(3)), queue.submit(records(3)), queue.submit(records(2)));
    first.commit();
    const second = await next();
    second.commit();
    const third = await next();
    third.commit();
    await Promise.all(answers);
    expect([first.size, second.size, third.size]).toEqual([1, 6, 2]);
  });

  test('while one is in flight, another goes out beside it for as many as are worth it, or for fewer once they have waited', async () => {
    const { store, next } = heldStore();
    const queue = new CommitQueue(store, () => false, { ...LIMITS, recordsMax: 40, flightsMax: 2, besideMin: 4, besideMs: 3_600_000 });
    const answers = [queue.submit(records(1))];
    const first = await next();
    answers.push(queue.submit(records(3)));
    await new Promise((resolve) => setImmediate(resolve));
    answers.push(queue.submit(records(2)));
    const beside = await next();
    answers.push(queue.submit(records(2)));
    first.commit();
    beside.commit();
    (await next()).commit();
    await Promise.all(answers);
    expect([first.size, beside.size]).toEqual([1, 5]);

    const impatient = new CommitQueue(store, () => false, { ...LIMITS, recordsMax: 40, flightsMax: 2, besideMin: 4, besideMs: 1 });
    const all = [impatient.submit(records(1))];
    const held = await next();
    all.push(impatient.submit(records(2)));
    const overdue = await next();
    expect([held.size, overdue.size]).toEqual([1, 2]);
    held.commit();
    overdue.commit();
    await Promise.all(all);
  });

  test('a full queue refuses at once, takes again when there is room, and lets one oversized batch into an empty queue', async () => {
    const { store, next } = heldStore();
    const queue = new CommitQueue(store, () => false, LIMITS);
    const large = queue.submit(records(50));
    expect(() => queue.submit(records(1))).toThrow(expect.objectContaining({ code: 'intake_full' }));
    (await next()).commit();
    await large;
    const small = queue.submit(records(10));
    expect(() => queue.submit(records(1))).toThrow(expect.objectContaining({ code: 'intake_full' }));
    (await next()).commit();
    await small;
    expect(queue.depth).toBe(0);
  });

  test('a server that has its share is refused while others are taken, and a quiet one does not wait for what the noisy one sent', async () => {
    const stored: string[] = [];
    const commits: (() => void)[] = [];
    const store = (group: readonly RecordToStore[]): Promise<StoreOutcome> =>
      new Promise((resolve) => {
        stored.push(group.map(({ server }) => server).join(' '));
        commits.push(() => resolve(NONE));
      });
    const queue = new CommitQueue(store, () => false, { ...LIMITS, groupMax: 2 });
    const noisy = Array.from({ length: 5 }, () => queue.submit(records(1, 'noisy')));
    expect(() => queue.submit(records(1, 'noisy'))).toThrow(expect.objectContaining({ code: 'intake_full' }));
    const quiet = queue.submit(records(1, 'quiet'));
    while (stored.length < 3) {
      await new Promise((resolve) => setImmediate(resolve));
      commits.shift()?.();
    }
    commits.shift()?.();
    await Promise.all([...noisy, quiet]);
    expect(stored).toEqual(['noisy quiet', 'noisy noisy', 'noisy noisy']);
  });

  test('a key that sends for many servers is refused while another is taken, and the other does not wait for it', async () => {
    const stored: string[] = [];
    const commits: (() => void)[] = [];
    const store = (group: readonly RecordToStore[]): Promise<StoreOutcome> =>
      new Promise((resolve) => {
        stored.push(group.map(({ server }) => server).join(' '));
        commits.push(() => resolve(NONE));
      });
    const queue = new CommitQueue(store, () => false, { ...LIMITS, groupMax: 2 });
    const noisy = Array.from({ length: 7 }, (_, index) => queue.submit(records(1, `server-${index}`), null, 'noisy'));
    expect(() => queue.submit(records(1, 'server-7'), null, 'noisy')).toThrow(expect.objectContaining({ code: 'intake_full' }));
    const quiet = queue.submit(records(1, 'server-0'), null, 'quiet');
    while (stored.length < 4) {
      await new Promise((resolve) => setImmediate(resolve));
      commits.shift()?.();
    }
    commits.shift()?.();
    await Promise.all([...noisy, quiet]);
    expect(stored).toEqual(['server-0 server-0', 'server-1 server-2', 'server-3 server-4', 'server-5 server-6']);
  });

  test('closing takes nothing more and waits for what was taken', async () => {
    const { store, next } = heldStore();
    const queue = new CommitQueue(store, () => false, LIMITS);
    const taken = queue.submit(records(2));
    let isClosed = false;
    const closed = queue.close().then(() => {
      isClosed = true;
    });
    expect(() => queue.submit(records(1))).toThrow(expect.objectContaining({ code: 'shutting_down' }));
    const group = await next();
    expect(isClosed).toBe(false);
    group.commit();
    await taken;
    await closed;
  });
});

describe('a submission that cannot be stored', () => {
  const failing = (group: readonly RecordToStore[]): Promise<StoreOutcome> =>
    group.some(({ server }) => server === 'bad') ? Promise.reject(new Error('value out of range')) : Promise.resolve(NONE);

  test('fails alone', async () => {
    const queue = new CommitQueue(failing, () => false, LIMITS);
    const answers = await Promise.allSettled([queue.submit(records(1)), queue.submit(records(1, 'bad')), queue.submit(records(2))]);
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });

  test('is not tried again one by one while the database is away', async () => {
    let calls = 0;
    const away = (): Promise<StoreOutcome> => {
      calls++;
      return Promise.reject(new Error('away'));
    };
    const queue = new CommitQueue(away, () => true, LIMITS);
    await Promise.allSettled([queue.submit(records(1)), queue.submit(records(1))]);
    expect(calls).toBe(1);
  });
});
