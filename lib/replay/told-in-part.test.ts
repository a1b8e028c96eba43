import { expect, test } from 'vitest';
import { createExplainer } from '@/lib/replay/explain';
import { foldTimeline } from '@/lib/replay/fold-timeline';
import type { TelemetryRecord } from '@/lib/wire/schema';

const emit = (from: number, to: number, unseen?: number): TelemetryRecord => ({
  type: 'emit',
  range: [from, to],
  ...(unseen === undefined ? {} : { withheld_before: unseen }),
});
const last = (records: readonly TelemetryRecord[]) => foldTimeline(records).at(-1)?.state;

test('after records that were kept back, what they may have changed is not known any more', () => {
  const told: TelemetryRecord[] = [emit(1, 5), { type: 'evict', event_ids: ['2'] }, { type: 'deliver', conn: 'c1', range: [3, 5] }];
  expect(last(told)).toMatchObject({ floor: 1, head: 5, holes: [[2, 2]], cursors: { c1: 5 } });
  expect(last([...told, emit(70, 75, 90)])).toMatchObject({ floor: null, head: 75, holes: [], cursors: {} });
});

test('in every stream of the session, and in no other session', () => {
  const streams: TelemetryRecord[] = [
    { type: 'deliver', stream: 'a', conn: 'c1', range: [1, 2] },
    { type: 'deliver', session: 'other', conn: 'c1', range: [1, 2] },
    emit(1, 5, 9),
  ];
  const close = { type: 'close', conn: 'c9', by: 'client' } as const;
  expect(last([...streams, { ...close, stream: 'a' }])?.cursors).toEqual({});
  expect(last([...streams, { ...close, session: 'other' }])?.cursors).toEqual({ c1: 2 });
});

test('the first event that is told of a stream after them is not its floor', () => {
  expect(last([{ type: 'session', event: 'created' }, emit(70, 75, 90)])).toMatchObject({ floor: null, head: 75 });
  expect(last([{ type: 'session', event: 'created' }, emit(70, 75)])).toMatchObject({ floor: 70, head: 75 });
});

test('nor where its numbering began anew before them', () => {
  const created = { type: 'session', event: 'created' } as const;
  const again: TelemetryRecord[] = [created, emit(1, 5), created, { type: 'close', conn: 'c1', withheld_before: 3 }, emit(3, 4)];
  expect(last(again)).toMatchObject({ floor: null, head: 4 });
});

test('what an attempt reports of its log is known again', () => {
  const attempt = { type: 'resume_attempt', verdict: 'resumed', cursor: 80, floor: 78, head: 90, withheld_before: 9 } as const;
  expect(last([emit(1, 5), attempt])).toMatchObject({ floor: 78, head: 90 });
});

const ids = (...names: string[]): TelemetryRecord => ({ type: 'emit', event_ids: names });
const attempt = { type: 'resume_attempt', conn: 'c', session_state: 'live', verdict: 'resumed', status: 200 } as const;
const FACTS = { generation: 'g', requested_generation: 'g', cursor: 50, floor: 40, head: 60, holes: [], reused: [] } as const;

test.each([
  {
    name: 'its own facts, where its cursor may be among what was kept back',
    records: [ids('e-a', 'e-b'), { ...attempt, ...FACTS, last_event_id: 'e-x', withheld_before: 100 }],
    expected: 'correct',
  },
  {
    name: 'its own facts, where its cursor comes from before',
    records: [ids('e-a', 'e-b'), { ...ids('e-z'), withheld_before: 100 }, { ...attempt, ...FACTS, floor: 52, last_event_id: 'e-a' }],
    expected: 'unsafe_resume',
  },
  {
    name: 'nothing, where it has none',
    records: [ids('e-a', 'e-b'), { ...attempt, last_event_id: 'e-x', withheld_before: 100 }],
    expected: 'unverifiable',
  },
  {
    name: 'the history, where its cursor comes from after',
    records: [
      ids('e-a'),
      { ...ids('e-x', 'e-y', 'e-z'), withheld_before: 9 },
      { ...attempt, floor: 0, generation: 'g', last_event_id: 'e-x' },
    ],
    expected: 'correct',
  },
  {
    name: 'nothing, where an earlier numbering may have written its cursor',
    records: [
      { type: 'session', event: 'created', generation: 'f' },
      { type: 'session', event: 'restored', generation: 'g', withheld_before: 9 },
      { ...ids('e-x', 'e-y'), generation: 'g' },
      { ...attempt, verdict: 'refused', status: 409, generation: 'g', last_event_id: 'e-x' },
    ],
    expected: 'unverifiable',
  },
])('an attempt is judged by $name', ({ records, expected }) => {
  expect(createExplainer(records as TelemetryRecord[]).attempts.map(({ assessment }) => assessment)).toEqual([expected]);
});
