import { expect, test } from 'vitest';
import { indexAtX, placeIn, readHistory } from '@/components/debugger/model/history';
import type { TelemetryRecord } from '@/lib/wire/schema';

const at = (ms: number) => new Date(Date.UTC(2026, 0, 1) + ms).toISOString();

const MIXED: TelemetryRecord[] = [
  { type: 'boot', at: at(0), server: 'a', generation: 1 },
  { type: 'session', at: at(1), server: 'a', session: 'A', event: 'created' },
  { type: 'session', at: at(2), server: 'b', session: 'B', event: 'created' },
  { type: 'open', at: at(3), server: 'a', session: 'A', conn: 'c1', stream: 'post-1' },
  { type: 'deliver', at: at(3), server: 'a', session: 'A', conn: 'c1', event_ids: ['1'] },
  { type: 'boot', at: at(9), server: 'a', generation: 2 },
];

test('records are dealt to their sessions, and a boot reaches every session of its server', () => {
  const { sessions } = readHistory(MIXED);
  expect(sessions.map(({ key, server, indices }) => ({ key, server, indices }))).toEqual([
    { key: 'A', server: 'a', indices: [0, 1, 3, 4, 5] },
    { key: 'B', server: 'b', indices: [2] },
  ]);
});

test('a record that names no stream is of the stream its connection was opened on', () => {
  const { streams, sessions } = readHistory(MIXED);
  expect(streams).toEqual([null, null, null, 'post-1', 'post-1', null]);
  expect(sessions[0]?.streams).toEqual(['post-1']);
});

test('the clock never runs backwards, and a history in which any record has no instant is put in order', () => {
  const late: TelemetryRecord[] = [
    { type: 'boot', at: at(50) },
    { type: 'boot', at: at(20) },
    { type: 'boot', at: at(60) },
  ];
  const timed = readHistory(late);
  expect([timed.axis, ...timed.xs].map((x) => (typeof x === 'number' ? x - Date.parse(at(0)) : x))).toEqual(['time', 50, 50, 60]);
  const ordered = readHistory([...late, { type: 'boot' }]);
  expect([ordered.axis, ...ordered.xs]).toEqual(['order', 0, 1, 2, 3]);
});

test.each([
  [-5, 0],
  [0, 0],
  [2.5, 2],
  [3, 4],
  [99, 5],
])('at %d ms the last record that has happened is record %d', (ms, index) => {
  expect(indexAtX(readHistory(MIXED).xs, Date.parse(at(0)) + ms)).toBe(index);
});

test('a place in a session counts its own records only', () => {
  const [first] = readHistory(MIXED).sessions;
  expect([0, 2, 3, 5].map((index) => first && placeIn(first, index))).toEqual([0, 1, 2, 4]);
});

test('a history of nothing has nothing to show, and one of boots alone has one part', () => {
  expect(readHistory([]).sessions).toEqual([]);
  expect(readHistory([{ type: 'boot' }]).sessions.map(({ key, indices }) => ({ key, indices }))).toEqual([{ key: 'none', indices: [0] }]);
});
