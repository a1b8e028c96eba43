import fc from 'fast-check';
import { expect, test } from 'vitest';
import { NOTE_KINDS, Note, noteText } from '../notes/note.js';
import { Flight } from './flight.js';

const RING_BYTES = 8192;
const MARGIN_BYTES = 4096;

const text = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 40 }), fc.string({ unit: 'binary-ascii', maxLength: 400 }));
const said = fc.record({
  at: fc.integer({ min: 1, max: 2 ** 42 }),
  number: fc.nat(),
  option: fc.nat(4),
  status: fc.option(fc.integer({ min: 100, max: 599 })),
  code: fc.option(fc.integer({ min: -33_000, max: 0 })),
  stream: fc.option(text),
  name: fc.option(text),
  version: fc.option(text),
  text: fc.oneof(fc.constant(null), text, fc.uint8Array({ maxLength: 3000 })),
});
type Said = Parameters<Parameters<typeof said.map>[0]>[0];

const asText = (one: Said) => ({ ...one, text: noteText(Object.assign(new Note(), one)) });
const readAll = (flight: Flight) => {
  const told: unknown[] = [];
  flight.takeAll((note) => {
    const { at, number, option, status, code, stream, name, version } = note;
    told.push({ at, number, option, status, code, stream, name, version, text: noteText(note) });
    return [];
  });
  return told;
};

test('what is taken out is what was put in, the newest of it, and the rest is counted', () => {
  fc.assert(
    fc.property(fc.array(fc.array(said, { maxLength: 60 }), { maxLength: 3 }), fc.integer({ min: 1, max: 40 }), (rounds, capacity) => {
      const flight = new Flight(false, capacity, RING_BYTES, 0);
      for (const notes of rounds) {
        const before = flight.withheld;
        for (const one of notes) flight.add(Object.assign(new Note().begin(NOTE_KINDS.request, null), one));
        const told = readAll(flight);
        expect(told).toEqual(notes.slice(notes.length - told.length).map(asText));
        expect(told.length + flight.withheld - before).toBe(notes.length);
      }
    }),
  );
});

test('notes of all sizes stay what they are while the memory is gone round and grows', () => {
  const size = fc.oneof({ weight: 8, arbitrary: fc.nat(60) }, { weight: 1, arbitrary: fc.nat(1500) });
  fc.assert(
    fc.property(fc.array(size, { minLength: 20, maxLength: 300 }), fc.integer({ min: 2, max: 60 }), (sizes, capacity) => {
      const flight = new Flight(false, capacity, 4 * RING_BYTES, 0);
      for (const [n, length] of sizes.entries()) {
        const note = new Note().begin(NOTE_KINDS.deliver, null);
        note.text = new Uint8Array(length).fill(n % 128);
        flight.add(note);
      }
      const expected = sizes.map((length, n) => String.fromCharCode(n % 128).repeat(length)).slice(-capacity);
      const told: string[] = [];
      flight.takeAll((note) => {
        told.push(noteText(note));
        return [];
      });
      expect(told).toEqual(expected.slice(expected.length - told.length));
    }),
  );
});

test('as many notes are kept as may be where they are small, however many there were', () => {
  const flight = new Flight(false, 100, RING_BYTES, 0);
  for (let n = 0; n < 2000; n++) {
    const note = new Note().begin(NOTE_KINDS.deliver, null);
    note.text = new Uint8Array(1 + (n % 40));
    flight.add(note);
  }
  expect([readAll(flight).length, flight.withheld]).toEqual([100, 1900]);
});

test('it takes no more memory than it may, and gives all of it back', () => {
  const flight = new Flight(false, 10_000, RING_BYTES, 0);
  const rowsBytes = () => flight.bytes - RING_BYTES;
  for (let n = 0; n < 2000; n++) {
    const note = new Note().begin(NOTE_KINDS.deliver, null);
    note.text = new Uint8Array(1000);
    flight.add(note);
  }
  expect(rowsBytes()).toBeLessThan(MARGIN_BYTES);
  expect(flight.withheld).toBeGreaterThan(1900);
  flight.drop();
  expect([flight.bytes, flight.withheld]).toEqual([0, 2000]);
});
