import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parseJsonExactly } from '@/lib/base/json';
import { foldTimeline } from '@/lib/replay/fold-timeline';
import type { TelemetryRecord } from '@/lib/wire/schema';

interface RecordedCase {
  case: string;
  records: TelemetryRecord[];
}

const recorded = (name: string): TelemetryRecord[] => {
  const cases = parseJsonExactly(readFileSync(`tests/histories/${name.slice(0, 3)}.json`, 'utf8')) as RecordedCase[];
  return cases.find((one) => one.case === name)?.records ?? [];
};
const states = (records: TelemetryRecord[]) => foldTimeline(records).map((step) => step.state);
const last = (records: TelemetryRecord[]) => states(records).at(-1);
const emit = (event_id: string | number, more: object = {}): TelemetryRecord => ({ type: 'emit', event_id, ...more });

describe('recorded cases', () => {
  test('a rolling restart: the log of generation 2 has a head and no known floor', () => {
    const steps = states(recorded('S01a'));
    expect(steps[9]).toEqual({ generation: '1', floor: 1000, head: 1099, holes: [], cursors: {} });
    expect(steps[10]).toEqual({ generation: '2', floor: null, head: null, holes: [], cursors: {} });
    expect(steps[12]).toEqual({ generation: '2', floor: null, head: 1099, holes: [], cursors: { c2: 1040 } });
    expect(steps[18]).toEqual({ generation: '2', floor: null, head: 1100, holes: [], cursors: { c3: 1100 } });
  });
  test('a floor that rose while the client was away', () => {
    expect(states(recorded('S02a'))[7]).toEqual({ generation: null, floor: 1052, head: 1075, holes: [], cursors: { c2: 1042 } });
  });
  test('a hole in the middle', () => {
    expect(states(recorded('S02c'))[7]).toEqual({
      generation: null,
      floor: 1030,
      head: 1075,
      holes: [[1043, 1051]],
      cursors: { c2: 1042 },
    });
  });
  test('a restore that begins its own numbering at zero', () => {
    expect(states(recorded('F25b'))[9]).toMatchObject({ generation: 'B', floor: 0, head: 2 });
  });
  test('a restart that keeps its numbering', () => {
    expect(states(recorded('F25a'))[9]).toMatchObject({ generation: 'A', floor: 0, head: 60 });
  });
  test('an empty log has its floor above its head', () => {
    expect(last(recorded('F09e'))).toMatchObject({ floor: 5, head: 4 });
  });
  test.each(
    readdirSync('tests/histories').flatMap((file) =>
      (parseJsonExactly(readFileSync(`tests/histories/${file}`, 'utf8')) as RecordedCase[]).map((one) => one.case),
    ),
  )('%s: every record is a step, and floor, holes and head stay in order', (name) => {
    const records = recorded(name);
    const steps = foldTimeline(records);
    expect(steps.map((step) => step.record)).toEqual(records);
    for (const { state } of steps) {
      const edges = [state.floor, ...state.holes.flat(), state.head].filter((edge) => edge !== null).map(Number);
      if (state.holes.length > 0) expect(edges).toEqual([...edges].sort((a, b) => a - b));
      else if (state.floor !== null && state.head !== null) expect(Number(state.floor)).toBeLessThanOrEqual(Number(state.head) + 1);
    }
  });
});

describe('positions', () => {
  test.each([
    { what: 'integers', ids: ['7', '9'], floor: 7, head: 9 },
    { what: 'integers as JSON numbers', ids: [7, 9], floor: 7, head: 9 },
    { what: 'a word and an integer', ids: ['E_1042', 'E_1043'], floor: 1042, head: 1043 },
    { what: 'an empty stream part', ids: ['_41', '_42'], floor: 41, head: 42 },
    { what: 'a generation part', ids: ['A:41', 'A:42'], floor: 41, head: 42 },
    { what: 'the index before the request', ids: ['4/17', '5/17'], floor: 4, head: 5 },
    {
      what: 'integers beyond 2^53',
      ids: ['653247040368672768', '653247040368672769'],
      floor: '653247040368672768',
      head: '653247040368672769',
    },
    { what: 'random text', ids: ['7d9f0c1e-aa', '0190affe-bb'], floor: 0, head: 1 },
    { what: 'parts that differ', ids: ['A:41', 'B:42'], floor: 0, head: 1 },
    { what: 'milliseconds with a sequence', ids: ['1781663454132-0', '1781663454140-0'], floor: 0, head: 1 },
    { what: 'numbers that do not rise', ids: ['9', '7'], floor: 0, head: 1 },
    { what: 'one id for all', ids: ['1', '1', '1'], floor: 0, head: 2 },
  ])('$what', ({ ids, floor, head }) => {
    expect(last(ids.map((id) => emit(id)))).toMatchObject({ floor, head });
  });

  test('an explicit position wins over the id', () => {
    expect(last([emit('a', { position: 12 }), emit('b', { position: 13 })])).toMatchObject({ floor: 12, head: 13 });
    expect(last([emit('E_5', { position: 12 }), emit('E_6', { position: 13 })])).toMatchObject({ floor: 12, head: 13 });
  });
  test('one contradiction makes ordinals of the whole numbering, also of what came before', () => {
    const steps = states([emit('10'), { type: 'deliver', conn: 'c', event_ids: ['10'] }, emit('3')]);
    expect(steps.map(({ head, cursors }) => [head, cursors['c']])).toEqual([
      [0, undefined],
      [0, 0],
      [1, 0],
    ]);
  });
  test('a cursor that differs from the number in its id makes ordinals', () => {
    const attempt: TelemetryRecord = { type: 'resume_attempt', verdict: 'resumed', conn: 'c', last_event_id: 'E_5', cursor: 0 };
    expect(last([emit('E_5'), emit('E_6'), attempt])).toMatchObject({ floor: 0, head: 1, cursors: { c: 0 } });
  });
  test('an id that was issued twice places no cursor', () => {
    expect(last([emit('x'), emit('x'), { type: 'deliver', conn: 'c', event_ids: ['x'] }])?.cursors).toEqual({});
  });
  test('numbers that begin again after an unlabelled boot are a numbering of their own', () => {
    expect(last([emit('40'), emit('41'), { type: 'boot' }, emit('1'), emit('2')])).toMatchObject({ generation: null, floor: 1, head: 2 });
  });
  test('a run stays an interval, however long', () => {
    expect(last([{ type: 'emit', range: [1, '9223372036854775807'] }])).toMatchObject({ floor: 1, head: '9223372036854775807' });
  });
});

describe('eviction', () => {
  const ten: TelemetryRecord = { type: 'emit', range: [1, 10] };
  test.each([
    { what: 'floor as an id', evicts: [{ floor: '4' }], floor: 4, holes: [] },
    { what: 'a floor never goes down', evicts: [{ floor: 6 }, { floor: 4 }], floor: 6, holes: [] },
    { what: 'nothing is left', evicts: [{ floor: null }], floor: 11, holes: [] },
    { what: 'the oldest one by one', evicts: [{ event_ids: ['1'] }, { event_ids: ['2'] }], floor: 3, holes: [] },
    { what: 'from the middle, then what was below', evicts: [{ event_ids: ['2', '3'] }, { event_ids: ['1'] }], floor: 4, holes: [] },
    { what: 'two holes that meet', evicts: [{ event_ids: ['3', '5'] }, { event_ids: ['4'] }], floor: 1, holes: [[3, 5]] },
    { what: 'a floor inside a hole', evicts: [{ event_ids: ['3', '4', '5'] }, { floor: 4 }], floor: 6, holes: [] },
    { what: 'an id never issued', evicts: [{ event_ids: ['E_3'] }], floor: 1, holes: [] },
  ])('$what', ({ evicts, floor, holes }) => {
    const state = last([ten, ...evicts.map((evict): TelemetryRecord => ({ type: 'evict', ...evict }))]);
    expect(state).toMatchObject({ floor, head: 10, holes });
  });
  test('the floor after an eviction is a position that was issued', () => {
    expect(last([emit('1'), emit('3'), { type: 'evict', event_ids: ['1'] }])).toMatchObject({ floor: 3, head: 3 });
  });
  test('an event appended to an empty log is its floor', () => {
    expect(last([emit('1'), { type: 'evict', floor: null }, emit('5')])).toMatchObject({ floor: 5, head: 5 });
  });
});

describe('connections', () => {
  const start: TelemetryRecord[] = [
    { type: 'emit', range: [1, 5] },
    { type: 'deliver', conn: 'c1', range: [1, 3] },
  ];
  const cursorsAfter = (...records: TelemetryRecord[]) => last([...start, ...records])?.cursors;

  test('frames without an id leave the cursor', () =>
    expect(cursorsAfter({ type: 'deliver', conn: 'c1', event_ids: ['4'], without_id: true })).toEqual({ c1: 3 }));
  test('an empty id clears it', () => expect(cursorsAfter({ type: 'deliver', conn: 'c1', event_ids: ['4', ''] })).toEqual({}));
  test('a close ends it', () => expect(cursorsAfter({ type: 'close', conn: 'c1' })).toEqual({}));
  test('a boot ends all', () => expect(cursorsAfter({ type: 'boot' })).toEqual({}));
  test('a boot of another node ends none of a session', () => {
    const onNode = start.map((record) => ({ ...record, node: 'n1' }));
    expect(last([...onNode, { type: 'boot', node: 'n2' }, { ...emit('6'), node: 'n1' }])?.cursors).toEqual({ c1: 3 });
  });
  test('a refused cursor is shown at its own step only', () => {
    const refused: TelemetryRecord = { type: 'resume_attempt', verdict: 'refused', conn: 'c2', last_event_id: '9' };
    const steps = states([...start, refused, emit('6')]);
    expect(steps.slice(-2).map(({ cursors }) => cursors)).toEqual([{ c1: 3, c2: 9 }, { c1: 3 }]);
  });
  test('streams of one session have logs of their own', () => {
    const steps = states([emit('1', { stream: 'a' }), emit('2', { stream: 'b' }), { type: 'close', conn: 'x', stream: 'a' }]);
    expect(steps.map(({ head }) => head)).toEqual([1, 2, 1]);
  });
  test('a record without a stream is of the stream that its connection was opened on', () => {
    const steps = states([
      { type: 'open', conn: 'p', stream: 'p1' },
      emit('1', { stream: 'p1' }),
      { type: 'deliver', conn: 'p', event_ids: ['1'] },
    ]);
    expect(steps.at(-1)).toMatchObject({ head: 1, cursors: { p: 1 } });
  });
});

test('a reported log replaces what the records told', () => {
  const attempt: TelemetryRecord = { type: 'resume_attempt', verdict: 'refused', floor: 40, head: 90, holes: [[50, 51]], generation: 7 };
  expect(last([attempt])).toEqual({ generation: '7', floor: 40, head: 90, holes: [[50, 51]], cursors: {} });
});
test('a step names its findings and its instant in UTC', () => {
  const [step] = foldTimeline([{ ...emit('1'), at: '2025-12-01T03:14:49.318+01:00' }], [{ index: 0 }, { index: 4 }, { index: 0 }]);
  expect(step).toMatchObject({ index: 0, at: '2025-12-01T02:14:49.318Z', findings: [0, 2] });
});
