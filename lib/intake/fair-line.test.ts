import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FairLine } from '@/lib/intake/fair-line';
import { Shares } from '@/lib/intake/shares';

const item = (party: string, length: number, name = '', sender = '') => ({ sender, party, records: { length }, name });

describe('a fair line', () => {
  test('lets parties take turns, each in its own order', () => {
    const line = new FairLine<ReturnType<typeof item>>();
    for (const name of ['a1', 'a2', 'a3', 'b1', 'c1', 'b2']) line.push(item(name.charAt(0), 1, name));
    expect(line.take(4).map(({ name }) => name)).toEqual(['a1', 'b1', 'c1', 'a2']);
    expect(line.take(4).map(({ name }) => name)).toEqual(['b2', 'a3']);
    expect(line.isEmpty).toBe(true);
  });

  test('lets senders take turns first, however many parties one of them sends for', () => {
    const line = new FairLine<ReturnType<typeof item>>();
    for (const name of ['a1', 'b1', 'c1', 'd1', 'a2']) line.push(item(name.charAt(0), 1, name, 'noisy'));
    for (const name of ['a1', 'a2']) line.push(item('a', 1, `quiet ${name}`, 'quiet'));
    expect(line.take(5).map(({ name }) => name)).toEqual(['a1', 'quiet a1', 'b1', 'quiet a2', 'c1']);
    expect(line.take(5).map(({ name }) => name)).toEqual(['d1', 'a2']);
  });

  test('gives a single item that is larger than a group, and never nothing while something waits', () => {
    const line = new FairLine<ReturnType<typeof item>>();
    line.push(item('a', 50));
    line.push(item('b', 1));
    expect(line.take(10).length).toBe(1);
    expect(line.take(10).length).toBe(1);
    expect(line.take(10)).toEqual([]);
  });

  test('loses nothing and keeps the order of each party, whatever comes', () => {
    const items = fc.array(
      fc.record({ party: fc.constantFrom('a', 'b', 'c'), sender: fc.constantFrom('x', 'y'), length: fc.integer({ min: 0, max: 9 }) }),
    );
    fc.assert(
      fc.property(items, fc.integer({ min: 1, max: 12 }), (list, recordsMax) => {
        const line = new FairLine<ReturnType<typeof item>>();
        const pushed = list.map(({ party, sender, length }, index) => item(party, length, String(index), sender));
        for (const one of pushed) line.push(one);
        const taken: typeof pushed = [];
        for (let group = line.take(recordsMax); group.length > 0; group = line.take(recordsMax)) taken.push(...group);
        for (const key of ['xa', 'xb', 'xc', 'ya', 'yb', 'yc']) {
          const of = (all: typeof pushed) => all.filter(({ sender, party }) => sender + party === key).map(({ name }) => name);
          expect(of(taken)).toEqual(of(pushed));
        }
      }),
    );
  });
});

describe('shares of a room', () => {
  const load = (records: number, chars = 0) => ({ records, chars });

  test('let one noisy party have half of it, two a third each, and always keep room for another', () => {
    const shares = new Shares(load(90, 1_000));
    const fill = (party: string): number => {
      let records = 0;
      while (shares.take(party, load(1)) === 'taken') records++;
      return records;
    };
    expect(fill('noisy')).toBe(45);
    expect(fill('second')).toBeGreaterThan(20);
    expect(shares.take('noisy', load(1))).toBe('share_full');
    expect(shares.take('quiet', load(5))).toBe('taken');
  });

  test('let one have three quarters where a multiple says so, and still keep room for another', () => {
    const shares = new Shares(load(100, 1_000), 3);
    let records = 0;
    while (shares.take('noisy', load(1)) === 'taken') records++;
    expect(records).toBe(75);
    expect(shares.take('quiet', load(5))).toBe('taken');
  });

  test('are given back, and counted in characters as well', () => {
    const shares = new Shares(load(90, 1_000));
    expect(shares.take('a', load(1, 500))).toBe('taken');
    expect(shares.take('a', load(1, 1))).toBe('share_full');
    expect(shares.take('b', load(1, 501))).toBe('full');
    shares.give('a', load(1, 500));
    expect(shares.records).toBe(0);
    expect(shares.take('a', load(1, 500))).toBe('taken');
  });

  test('take what is larger than the room while it is empty', () => {
    const shares = new Shares(load(10, 100));
    expect(shares.take('a', load(50, 5_000))).toBe('taken');
    expect(shares.take('b', load(1))).toBe('full');
  });
});
