import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readSpool } from './read-spool.js';
import { type SpoolEntry, writeEntry } from './spool-entry.js';

const owner = { producer: 'p', epoch: 'e', began: 1_796_000_000_000, host: 'h', pid: 1 };
const begin = { kind: 'owner' as const, owner, numbers: { sequence: 0, dropped: 0 } };
const record = (index: number): SpoolEntry => ({ kind: 'record', index, line: `{"n":${index}}` });
const batch = (sequence: number, first: number, last: number, dropped = 0): SpoolEntry => ({
  kind: 'batch',
  sequence,
  dropped,
  range: { first, last },
});
const done = (first: number, last: number): SpoolEntry => ({ kind: 'done', range: { first, last } });
const fileOf = (...entries: SpoolEntry[]) => [begin, begin, ...entries].map(writeEntry).join('');
const owed = (text: string, max = 500) =>
  readSpool(text, max).batches.map(({ origin, lines }) => [origin?.sequence, lines.map((line) => JSON.parse(line).n)]);

describe('a spool file', () => {
  test('owes what is not done, under the numbers it had, and the rest in batches after them', () => {
    const text = fileOf(record(0), record(1), batch(1, 0, 1), record(2), batch(2, 2, 2), record(3), record(4), record(5), done(0, 1));
    expect(owed(text, 2)).toEqual([
      [2, [2]],
      [3, [3, 4]],
      [4, [5]],
    ]);
  });

  test('knows that a batch was split', () => {
    const text = fileOf(record(0), record(1), batch(1, 0, 1), batch(1, 0, 0), batch(2, 1, 1), done(0, 0));
    expect(owed(text)).toEqual([[2, [1]]]);
  });

  test('says what its producer had dropped, and when its epoch began', () => {
    const text = fileOf(record(0), batch(1, 0, 0, 7), record(1));
    expect(readSpool(text, 10).batches.map(({ origin }) => origin)).toEqual([
      { producer: 'p', epoch: 'e', began: owner.began, sequence: 1, dropped: 7 },
      { producer: 'p', epoch: 'e', began: owner.began, sequence: 2, dropped: 7 },
    ]);
  });

  test('of an earlier version says nothing of when its epoch began', () => {
    const { began: _, ...earlier } = owner;
    const text = writeEntry({ ...begin, owner: earlier }) + writeEntry(record(0));
    expect(readSpool(text, 10).batches).toMatchObject([{ origin: { epoch: 'e', began: null } }]);
  });

  test('goes on with the numbers of its head where the batches before it are gone, and tells what was dropped', () => {
    const head = (sequence: number, dropped: number): SpoolEntry => ({ kind: 'owner', owner, numbers: { sequence, dropped } });
    const origins = (...entries: SpoolEntry[]) => readSpool(entries.map(writeEntry).join(''), 1).batches.map(({ origin }) => origin);
    expect(origins(head(7, 3), record(0), record(1))).toMatchObject([
      { sequence: 8, dropped: 3 },
      { sequence: 9, dropped: 3 },
    ]);
    expect(origins(head(7, 3))).toMatchObject([{ sequence: 8, dropped: 3 }]);
    expect(origins(head(7, 3), record(0), batch(7, 0, 0, 1))).toMatchObject([
      { sequence: 7, dropped: 1 },
      { sequence: 8, dropped: 3 },
    ]);
  });

  test('whose head is damaged once is read whole; damaged twice, its records are owed under no numbers', () => {
    const text = fileOf(record(0), record(1), batch(1, 0, 0, 7));
    const damaged = (times: number) =>
      readSpool(
        text
          .split('\n')
          .map((line, n) => (n < times ? `x${line}` : line))
          .join('\n'),
        10,
      );
    expect(damaged(1)).toMatchObject({
      corrupt: 1,
      corruptUntold: 0,
      batches: [{ origin: { producer: 'p', sequence: 1, dropped: 8 } }, { origin: { sequence: 2, dropped: 8 } }],
    });
    expect(damaged(2)).toEqual({
      corrupt: 2,
      corruptUntold: 2,
      batches: [
        { origin: null, lines: ['{"n":0}'] },
        { origin: null, lines: ['{"n":1}'] },
      ],
    });
  });

  test('that owes nothing but is damaged owes that it is told', () => {
    const { batches } = readSpool(`${fileOf(record(0), batch(4, 0, 0), done(0, 0))}x`, 10);
    expect(batches).toMatchObject([{ origin: { producer: 'p', epoch: 'e', sequence: 5, dropped: 1 }, lines: [] }]);
  });

  test('makes batches within the bounds of a batch, in bytes too', () => {
    const long = (index: number): SpoolEntry => ({ kind: 'record', index, line: JSON.stringify('x'.repeat(200_000)) });
    const text = fileOf(long(0), long(1), long(2), record(3), record(4));
    expect(readSpool(text, 2).batches.map(({ lines }) => lines.length)).toEqual([2, 2, 1]);
    expect(readSpool(text, 9).batches.map(({ lines }) => lines.length)).toEqual([2, 3]);
  });

  test('that was never owned owes nothing', () => {
    expect(readSpool('', 10)).toEqual({ batches: [], corrupt: 0, corruptUntold: 0 });
    expect(readSpool('rubbish\n', 10)).toEqual({ batches: [], corrupt: 1, corruptUntold: 1 });
  });

  test('cut anywhere owes every record before the cut, and at most one line is corrupt', () => {
    const text = fileOf(...Array.from({ length: 20 }, (_, index) => record(index)));
    const from = fileOf().length;
    fc.assert(
      fc.property(fc.integer({ min: from, max: text.length }), (cut) => {
        const { batches, corrupt } = readSpool(text.slice(0, cut), 500);
        const whole = text.slice(from, cut).split('\n').length - 1;
        // A line that lacks nothing but its end is as it was written.
        expect([whole, whole + 1]).toContain(batches.flatMap(({ lines }) => lines).length);
        expect(corrupt).toBeLessThanOrEqual(1);
      }),
    );
  });

  test('with any byte changed loses that line at most', () => {
    const text = fileOf(...Array.from({ length: 10 }, (_, index) => record(index)));
    fc.assert(
      fc.property(fc.integer({ min: 0, max: text.length - 2 }), fc.constantFrom('x', '0', ' ', '}'), (at, char) => {
        const { batches, corrupt } = readSpool(text.slice(0, at) + char + text.slice(at + 1), 500);
        const lines = batches.flatMap((one) => one.lines);
        expect(lines.every((line) => /^\{"n":\d+\}$/.test(line))).toBe(true);
        expect(lines.length).toBeGreaterThanOrEqual(text[at] === '\n' ? 8 : 9);
        expect(corrupt).toBeLessThanOrEqual(1);
      }),
    );
  });
});
