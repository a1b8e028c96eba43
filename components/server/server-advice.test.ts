import { expect, test } from 'vitest';
import { serverAdvice } from '@/components/server/server-advice';
import type { ServerDetail } from '@/lib/wire/responses';

const NO_MARKS = { unsafe_resume: 0, bad_replay: 0, over_refusal: 0, refused: 0, resumed: 0, fresh: 0, unverifiable: 0 };
const NO_SEQUELS = { reinitialized: 0, looped: 0, retried: 0, other_cursor: 0, dropped_cursor: 0, went_on: 0, hung: 0, unknown: 0 };
const well = {
  totals: { marks: NO_MARKS },
  retention: { kept_min: 100, kept_median: 100, needed_median: 4, needed_p95: 100, needed_max: 200, measured: 10, served_whole: 9 },
  clients: [{ client: 'a/1', after_refusal: NO_SEQUELS }],
  id_shapes: [{ shape: '\0', example: '7', attempts: 1 }],
} as unknown as ServerDetail;
const keys = (members: Partial<Record<keyof ServerDetail, unknown>>) =>
  serverAdvice({ ...well, ...members } as ServerDetail).map(({ key }) => key);

test('a server that keeps what its clients need and judges as it should needs nothing', () => {
  expect(keys({})).toEqual([]);
  expect(keys({ totals: null })).toEqual([]);
});

test.each([
  ['unsafe', { totals: { marks: { ...NO_MARKS, unsafe_resume: 1 } } }],
  ['over', { totals: { marks: { ...NO_MARKS, over_refusal: 1 } } }],
  ['missing', { totals: { marks: NO_MARKS, at_least: true } }],
  ['blind', { totals: { marks: { ...NO_MARKS, unverifiable: 1 } } }],
  ['retention', { retention: { ...well.retention, needed_p95: 101 } }],
  ['loops', { clients: [{ client: null, after_refusal: { ...NO_SEQUELS, looped: 1 } }] }],
  ['ids', { id_shapes: [...well.id_shapes, { shape: null, example: 'x', attempts: 1 }] }],
])('%s is advised on when it was seen', (key, members) => {
  expect(keys(members)).toEqual([key]);
});

test('the gravest comes first', () => {
  expect(keys({ totals: { marks: { ...NO_MARKS, unsafe_resume: 1, unverifiable: 1 } } })).toEqual(['unsafe', 'blind']);
});
