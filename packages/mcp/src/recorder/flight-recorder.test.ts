import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Note } from '../notes/note.js';
import { noteReader } from '../notes/read-note.js';
import { noteRecord } from '../notes/store-notes.js';
import { type FlightOptions, FlightRecorder } from './flight-recorder.js';

const DEFAULTS: FlightOptions = {
  isEverything: false,
  isSampled: (token) => token.startsWith('sampled'),
  recordsPerSession: 4,
  bytes: 40_000,
  sessions: 3,
  wholeMs: 60_000,
};

function start(options: Partial<FlightOptions> = {}) {
  const told: { code: unknown; withheld: number }[] = [];
  let made = 0;
  const read = noteReader({ digest: (text) => text, connName: String });
  const recorder = new FlightRecorder(
    { ...DEFAULTS, ...options },
    (note, token) => {
      made += 1;
      return read(note, token);
    },
    (record, _at, withheld) => told.push({ code: 'code' in record ? record.code : record.type, withheld }),
  );
  const blank = new Note();
  /** A note of `letters` more than it needs. */
  const note = (token: string, code: number, isTrouble = false, letters = 0) => {
    const conn = 'x'.repeat(letters);
    recorder.note(token, noteRecord(blank, { type: 'client', session: token, event: 'applied', code, conn }), isTrouble);
  };
  const always = (token: string | null, code: number, isTrouble = false) =>
    recorder.always(token, { type: 'client', session: token, event: 'applied', code }, isTrouble);
  return { note, always, codes: () => told.map(({ code }) => code), told, made: () => made };
}

describe('the flight recorder', () => {
  test('keeps a session at hand without even making its records', () => {
    const { note, codes, made } = start();
    for (let n = 1; n <= 3; n++) note('s', n);
    expect([codes(), made()]).toEqual([[], 0]);
  });

  test('tells a session whole and in order when something goes wrong, and what follows at once', () => {
    const { note, told } = start();
    for (let n = 1; n <= 3; n++) note('s', n);
    note('other', 9);
    note('s', 4, true);
    note('s', 5);
    expect(told).toEqual([1, 2, 3, 4, 5].map((code) => ({ code, withheld: 0 })));
  });

  test('tells a record that always goes; what was kept back before it is counted on it and never told later', () => {
    const { note, always, told } = start();
    note('s', 1);
    note('s', 2);
    always('s', 3);
    note('s', 4);
    always('s', 5, true);
    expect(told).toEqual([
      { code: 3, withheld: 2 },
      { code: 4, withheld: 0 },
      { code: 5, withheld: 0 },
    ]);
  });

  test('keeps the newest of a session, and counts the rest where its history begins', () => {
    const { note, told } = start();
    for (let n = 1; n <= 10; n++) note('s', n);
    note('s', 11, true);
    expect(told.map(({ code }) => code)).toEqual([7, 8, 9, 10, 11]);
    expect(told.map(({ withheld }) => withheld)).toEqual([6, 0, 0, 0, 0]);
  });

  test('gives up what idle sessions keep when all of them keep too much', () => {
    const { note, told } = start();
    note('a', 1, false, 8000);
    note('b', 2, false, 8000);
    note('a', 3, true);
    note('b', 4, true);
    expect(told).toEqual([
      { code: 3, withheld: 1 },
      { code: 2, withheld: 0 },
      { code: 4, withheld: 0 },
    ]);
  });

  test('trouble under tokens that never were a session pushes no other session out', () => {
    const { note, codes } = start();
    note('s', 1);
    for (let n = 10; n < 20; n++) note(`stranger ${n}`, n, true);
    note('s', 2, true);
    expect(codes().slice(-2)).toEqual([1, 2]);
  });

  test('tells a sampled session whole, one without a token at once, and with everything asked for every record', () => {
    const { note, always, codes } = start();
    note('sampled 1', 1);
    always(null, 2);
    expect(codes()).toEqual([1, 2]);
    const every = start({ isEverything: true });
    every.note('s', 1);
    every.always('s', 2);
    expect(every.told).toEqual([
      { code: 1, withheld: 0 },
      { code: 2, withheld: 0 },
    ]);
  });

  test('is quiet again when the time after a trouble is over', () => {
    const { note, codes } = start({ wholeMs: 0 });
    note('s', 1);
    note('s', 2, true);
    note('s', 3);
    expect(codes()).toEqual([1]);
  });

  test('whatever happens, told and withheld records of a session add up, in order, none twice', () => {
    const step = fc.record({
      token: fc.constantFrom('a', 'b'),
      kind: fc.constantFrom('note', 'note', 'note', 'always', 'trouble'),
      bytes: fc.constantFrom(0, 400, 9000),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), fc.constantFrom(0, 60_000), (steps, wholeMs) => {
        const { note, always, told } = start({ wholeMs });
        for (const [n, { token, kind, bytes }] of steps.entries()) {
          if (kind === 'always') always(token, n);
          else note(token, n, kind === 'trouble', bytes);
        }
        for (const token of ['a', 'b']) always(token, steps.length + (token === 'a' ? 0 : 1), true);
        const codes = told.map(({ code }) => Number(code));
        expect(new Set(codes).size).toBe(codes.length);
        const withheld = told.reduce((sum, one) => sum + one.withheld, 0);
        expect(codes.length + withheld).toBe(steps.length + 2);
        for (const token of ['a', 'b']) {
          const own = codes.filter((code) => steps[code]?.token === token);
          expect(own).toEqual([...own].sort((x, y) => x - y));
        }
      }),
    );
  });
});
