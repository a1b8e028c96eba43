import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CHOICES, NOTE_KINDS, Note } from '../notes/note.js';
import { noteReader } from '../notes/read-note.js';
import { noteRecord } from '../notes/store-notes.js';
import type { TelemetryRecord } from '../telemetry/record.js';
import { type FlightOptions, FlightRecorder } from './flight-recorder.js';

const DEFAULTS: FlightOptions = {
  isEverything: false,
  isSampled: (token) => token.startsWith('sampled'),
  isSession: (token) => !token.startsWith('stranger'),
  recordsPerSession: 4,
  bytes: 40_000,
  sessions: 3,
  wholeMs: 60_000,
};

function start(options: Partial<FlightOptions> = {}) {
  const told: { code: unknown; withheld: number }[] = [];
  const ends: unknown[] = [];
  let made = 0;
  const read = noteReader({ digest: (text) => text, connName: String });
  const recorder = new FlightRecorder(
    { ...DEFAULTS, ...options },
    (note, token) => {
      made += 1;
      return read(note, token);
    },
    (record, _at, withheld) => {
      const code = 'code' in record ? record.code : record.type;
      told.push({ code, withheld });
      if (record.withheld_after) ends.push(code);
    },
  );
  const blank = new Note();
  /** A note of `letters` more than it needs. */
  const note = (token: string, code: number, isTrouble = false, letters = 0) => {
    const conn = 'x'.repeat(letters);
    recorder.note(token, noteRecord(blank, { type: 'client', session: token, event: 'applied', code, conn }), isTrouble);
  };
  const release = (token: string) => recorder.release(token);
  const always = (token: string | null, code: number, isTrouble = false) =>
    recorder.always(token, { type: 'client', session: token, event: 'applied', code }, isTrouble);
  return { note, release, always, codes: () => told.map(({ code }) => code), told, ends, made: () => made };
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

  test('resumes under tokens that never were a session push no other session out either', () => {
    const { note, always, codes } = start();
    note('s', 1);
    for (let n = 10; n < 20; n++) always(`stranger ${n}`, n, true);
    note('s', 2, true);
    expect(codes().slice(-2)).toEqual([1, 2]);
  });

  test('what was kept back of a session that was forgotten is counted when it comes back', () => {
    const { note, told } = start({ sessions: 2 });
    for (let n = 1; n <= 3; n++) note('s', n);
    for (const other of ['a', 'b']) note(other, 0);
    note('s', 4);
    note('s', 5, true);
    expect(told).toEqual([
      { code: 4, withheld: 3 },
      { code: 5, withheld: 0 },
    ]);
  });

  test('a session that is over gives up its memory, which others need not then', () => {
    const { note, told, release } = start({ sessions: 100, bytes: 100_000 });
    for (const [n, token] of ['a', 'b', 'c'].entries()) note(token, n, false, 8000);
    release('b');
    note('d', 3, false, 8000);
    note('a', 4, true);
    note('b', 5, true);
    expect(told).toEqual([
      { code: 0, withheld: 0 },
      { code: 4, withheld: 0 },
      { code: 5, withheld: 1 },
    ]);
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

  test('is quiet again when the time after a trouble is over, and the last record that is told says so', () => {
    const { note, codes, ends } = start({ wholeMs: 0 });
    note('s', 1);
    note('s', 2, true);
    note('s', 3);
    expect([codes(), ends]).toEqual([[1, 2], [2]]);
  });

  test('says after a record that is told alone that what follows is kept back', () => {
    const { note, always, ends } = start();
    always('s', 1);
    note('s', 2);
    always('s', 3);
    always('s', 4, true);
    always('s', 5);
    always('sampled 1', 6);
    always(null, 7);
    expect(ends).toEqual([1, 3]);
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

/** One call as it is noted: its request, the first piece of its stream, the last one, and the end of its connection. */
function calls(options: Partial<FlightOptions> = {}) {
  const told: TelemetryRecord[] = [];
  let withheldInAll = 0;
  const read = noteReader({ digest: (text) => text, connName: String });
  const recorder = new FlightRecorder({ ...DEFAULTS, recordsPerSession: 100, ...options }, read, (record, _at, withheld) => {
    told.push(record);
    withheldInAll += withheld;
  });
  const blank = new Note();
  const note = (kind: Note['kind'], number: number, members: Partial<Note>) =>
    recorder.note('s', Object.assign(blank.begin(kind, null), { number, ...members }), false);
  const bodyOf = (number: number) => Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: `call ${number}`, method: 'tools/call' }));
  return {
    request: (number: number) => note(NOTE_KINDS.request, number, { at: 10, text: bodyOf(number), status: 200 }),
    opening: (number: number) =>
      note(NOTE_KINDS.deliver, number, { at: 20, text: `id: ${number}\ndata: 1\n\n`, option: CHOICES.opens, body: bodyOf(number) }),
    piece: (number: number) => note(NOTE_KINDS.deliver, number, { at: 30, text: 'data: 2\n\n' }),
    close: (number: number) => note(NOTE_KINDS.close, number, { at: 40, option: CHOICES.byServer }),
    trouble: () => recorder.always('s', { type: 'client', session: 's', event: 'applied' }, true),
    told,
    withheld: () => withheldInAll,
  };
}

describe('a call that is kept at hand', () => {
  const connOf = (record: TelemetryRecord) => ('conn' in record ? record.conn : undefined);
  const types = (told: readonly TelemetryRecord[]) => told.map((record) => `${record.type} ${connOf(record) ?? ''}`.trim());

  test('tells its opening before its first piece, with the id from its request, and its close after the last', () => {
    const { request, opening, piece, close, trouble, told } = calls();
    for (const step of [request, opening, piece, close]) step(1);
    trouble();
    expect(types(told)).toEqual(['request 1', 'open 1', 'deliver 1', 'deliver 1', 'close 1', 'client']);
    expect(told[1]).toMatchObject({ method: 'POST', rpc_id: 'call 1' });
    expect(told[4]).toMatchObject({ at: 40, by: 'server' });
  });

  test('is told the same way however it was mixed with another', () => {
    const { request, opening, piece, close, trouble, told } = calls();
    for (const step of [request, opening, piece, close]) for (const number of [1, 2]) step(number);
    trouble();
    const own = (number: number) => told.filter((record) => connOf(record) === String(number)).map(({ type }) => type);
    for (const number of [1, 2]) expect(own(number)).toEqual(['request', 'open', 'deliver', 'deliver', 'close']);
    expect(told.filter(({ type }) => type === 'open').map((open) => ('rpc_id' in open ? open.rpc_id : null))).toEqual(['call 1', 'call 2']);
  });

  test('names no id where its request is no longer kept', () => {
    const { request, opening, trouble, told } = calls({ recordsPerSession: 2 });
    request(1);
    opening(1);
    trouble();
    expect(types(told)).toEqual(['open 1', 'deliver 1', 'client']);
    expect(told[0]).not.toHaveProperty('rpc_id');
  });

  test.each([1, 2, 3, 4, 5, 6, 9])('counts its records, not its notes, where %d may be kept', (recordsPerSession) => {
    const { request, opening, piece, close, trouble, told, withheld } = calls({ recordsPerSession });
    for (const number of [1, 2, 3]) for (const step of [request, opening, piece, close]) step(number);
    trouble();
    expect(told.length - 1 + withheld()).toBe(15);
    expect(told.length - 1).toBeLessThanOrEqual(Math.max(2, recordsPerSession));
  });
});
