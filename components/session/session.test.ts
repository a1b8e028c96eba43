import { expect, test } from 'vitest';
import { typedSteps } from '@/components/api/timeline';
import { SAMPLE_S02 } from '@/components/samples/s02';
import { entriesOf, entryAt } from '@/components/session/entries';
import { recordWords } from '@/components/session/record-words';
import { isOfStream, streamOf } from '@/components/session/stream-of';
import { toldInPartWords } from '@/components/session/told-in-part';
import { foldTimeline } from '@/lib/replay/fold-timeline';
import { RECORD_TYPES } from '@/lib/wire/decode-record';
import type { TelemetryRecord } from '@/lib/wire/schema';

const steps = typedSteps(foldTimeline(SAMPLE_S02.records(Date.UTC(2025, 11, 1, 2, 14), 'token', () => crypto.randomUUID())));

test('a run of emissions is one line, everything else a line of its own', () => {
  expect(entriesOf(steps).map(({ words }) => `${words.type} ${words.subject}: ${words.detail}`)).toEqual([
    'session created: generation 1',
    'open c1: GET, 200, no cursor',
    'emit 13 events: E_1030 to E_1042',
    'deliver c1: E_1030 to E_1042 (13)',
    'close c1: by network',
    'emit 33 events: E_1043 to E_1075',
    'evict 9 events: E_1043 to E_1051, memory',
    'resume c2: E_1042, resumed, 200',
    'deliver c2: E_1052 to E_1075 (24)',
    'close c2: by client',
  ]);
});

test('every step belongs to exactly one line', () => {
  const entries = entriesOf(steps);
  for (const step of steps) expect(entries.filter((entry) => entry.first <= step.index && step.index <= entry.last)).toHaveLength(1);
  expect(entryAt(entries, 3)).toBe(2);
  expect(entryAt(entries, 9_999)).toBe(-1);
});

test('a run of emissions ends where records were kept back, and the next line says how many', () => {
  const emit = (event_id: string, withheld_before?: number): TelemetryRecord => ({
    type: 'emit',
    event_id,
    ...(withheld_before === undefined ? {} : { withheld_before }),
  });
  const lines = entriesOf(typedSteps(foldTimeline([emit('1'), emit('2'), emit('70', 1_200), emit('71'), emit('90', 1)])));
  expect(lines.map(({ words }) => `${words.subject}: ${words.detail}`)).toEqual([
    '2 events: 1 to 2',
    '2 events: after 1,200 kept back, 70 to 71',
    '1 event: after 1 kept back, 90',
  ]);
});

test.each<[readonly Partial<TelemetryRecord>[], string | null]>([
  [[{}, {}], null],
  [[{ withheld_after: true }, {}], null],
  [[{}, { withheld_after: true }], 'Told in part: what follows is kept back by the server while all goes well.'],
  [[{}, { withheld_before: 1 }], 'Told in part: 1 record of this session was kept back by the server while all went well.'],
  [
    [{ withheld_before: 1_000 }, { withheld_before: 200, withheld_after: true }],
    'Told in part: 1,200 records of this session were kept back by the server while all went well; what follows is kept back too.',
  ],
])('%j is said to be told as it is', (records, expected) => {
  expect(toldInPartWords(records.map((record) => ({ type: 'close', ...record }) as TelemetryRecord))).toBe(expected);
});

test.each(RECORD_TYPES)('a %s record that tells nothing but its type still has words, and invents none', (type) => {
  const bare = { type, event: 'created', verdict: 'failed' } as unknown as TelemetryRecord;
  const words = Object.values(recordWords(bare)).join(' ');
  expect(words).not.toMatch(/undefined|null|NaN/);
});

test('boots and session events belong to every stream, other records to their own', () => {
  const emit: TelemetryRecord = { type: 'emit', stream: 'post-7', event_id: '1' };
  expect([streamOf(emit), streamOf({ type: 'boot' }), streamOf({ type: 'evict' })]).toEqual(['post-7', null, 'get']);
  expect([isOfStream(emit, 'get'), isOfStream(emit, 'post-7'), isOfStream({ type: 'boot' }, 'get')]).toEqual([false, true, true]);
});
