import { expect, test } from 'vitest';
import { closeLeads, leadColumns } from '@/components/overview/lead-columns';

const size = (from: number, to: number | null, attempts: number) => ({ from, to, attempts });
const LEADS = { below: 3, sizes: [size(0, 0, 1), size(1, 1, 2), size(2, 3, 4), size(4, 7, 8), size(8, 15, 16), size(8_192, null, 1)] };

test('what is below the floor comes first, then the leads from the floor up', () => {
  expect(leadColumns(LEADS).map(({ zone, words, attempts }) => `${zone} ${words} ${attempts}`)).toEqual([
    'lost below the floor 3',
    'close 0 1',
    'close 1 2',
    'close 2 to 3 4',
    'close 4 to 7 8',
    'clear 8 to 15 16',
    'clear 8,192 and more 1',
  ]);
});

test('close are the leads under eight events, and not what is lost already', () => {
  expect(closeLeads(LEADS)).toBe(15);
});

test('columns end with the largest lead that occurred, but are never fewer than ten', () => {
  const sizes = Array.from({ length: 15 }, (_, octave) => size(2 ** octave, 2 ** (octave + 1) - 1, octave === 11 ? 1 : 0));
  expect(leadColumns({ below: 0, sizes })).toHaveLength(13);
  expect(leadColumns({ below: 1, sizes: sizes.map((one) => ({ ...one, attempts: 0 })) })).toHaveLength(10);
});
