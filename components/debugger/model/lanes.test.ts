import { expect, test } from 'vitest';
import { callsOf, pendingAt } from '@/components/debugger/model/calls';
import { lanesOf } from '@/components/debugger/model/lanes';
import { lostEmissions } from '@/components/debugger/model/lost-emissions';
import type { TelemetryRecord } from '@/lib/wire/schema';
import { S01_RECORDS, S02_RECORDS, type SeenHistory, seen } from '@/tests/debugger/sample-history';

const laneOf = (one: SeenHistory, name: string) => lanesOf({ ...one, all: one.steps }).lanes.find((lane) => lane.name === name);

test('the nine events of S02 that never arrived are lost, and no other', () => {
  const one = seen(S02_RECORDS);
  const ids = [...lostEmissions(one.steps, one.plotted)].map((index) => {
    const record = S02_RECORDS[index];
    return record?.type === 'emit' ? record.event_id : null;
  });
  expect(ids).toEqual(Array.from({ length: 9 }, (_, n) => `E_${1043 + n}`));
});

test('connections stand from open to close, with how they ended and what was wrong with them', () => {
  const lane = laneOf(seen(S02_RECORDS), 'connection');
  expect(lane?.spans.map(({ words, tone }) => `${words}: ${tone}`)).toEqual(['c1 GET 200: plain', 'c2 200: unsafe_resume']);
  expect(lane?.ticks.map(({ words }) => words)).toEqual(['cut by network', 'by client']);
});

test('where records were kept back, no connection and no call is known to have gone on', () => {
  const one = seen([
    { type: 'open', conn: 'c1', method: 'GET', status: 200 },
    call(1),
    { type: 'emit', event_id: '9', withheld_before: 4 },
    { type: 'open', conn: 'c2', method: 'GET', status: 200 },
    call(2),
  ]);
  expect(laneOf(one, 'connection')?.spans.map(({ words, toX, isDashed }) => [words, toX, isDashed])).toEqual([
    ['c1 GET 200, until when is not told', 2, true],
    ['c2 GET 200', 4, false],
  ]);
  const calls = callsOf(one.steps, new Set());
  expect(calls.map(({ id, fate }) => `${id} ${fate}`)).toEqual(['1 untold', '2 pending']);
  expect([1, 2, 4].map((index) => pendingAt(calls, index, 9).map(({ id }) => id))).toEqual([['1'], [], ['2']]);
  expect(laneOf(one, 'calls')?.spans[0]).toMatchObject({ words: '1 transfer, not told whether it was answered', isDashed: true });
});

test('the client is away between its connections and keeps its cursor', () => {
  const lane = laneOf(seen(S02_RECORDS), 'client');
  expect(lane?.spans.filter(({ isDashed }) => isDashed).map(({ words }) => words)).toEqual(['away 31.1 s, keeps 1042']);
});

test('a boot ends every connection, and stands in the lane of boots with what it brought', () => {
  const one = seen(S01_RECORDS);
  expect(laneOf(one, 'boots')?.ticks.map(({ words }) => words)).toEqual([
    'boot n1, gen. 1',
    'created, gen. 1',
    'boot n1, gen. 2',
    'restored, gen. 2',
  ]);
  expect(laneOf(one, 'proxy')?.ticks.map(({ words, tone }) => `${words}: ${tone}`)).toEqual(Array(2).fill('would refuse, 409: refused'));
});

const call = (id: number, more: object = {}): TelemetryRecord => ({
  type: 'request',
  rpc: { method: 'tools/call', id },
  tool: 'transfer',
  args_digest: 'd1',
  status: 200,
  content_type: 'text/event-stream',
  ...more,
});
const answer = (id: number): TelemetryRecord => ({ type: 'emit', event_id: String(id), rpc: { type: 'response', id } });

test('a call waits until its answer is emitted, for ever where that never arrived, and not at all where it was refused', () => {
  const { steps } = seen([call(1), answer(1), call(2), call(3, { status: 404 }), answer(2), call(4, { content_type: 'application/json' })]);
  const calls = callsOf(steps, new Set([4]));
  expect(calls.map(({ id, fate }) => `${id} ${fate}`)).toEqual(['1 answered', '2 lost', '3 failed', '4 answered']);
  expect([0, 1, 2, 5].map((index) => pendingAt(calls, index, 9).map(({ id }) => id))).toEqual([['1'], [], ['2'], ['2']]);
});

test('the same call with the same arguments is told as made again, unless it is idempotent', () => {
  const { steps } = seen([call(1), call(2), call(3, { idempotent: true }), call(4, { args_digest: 'd2' })]);
  expect(callsOf(steps, new Set()).map(({ isAgain }) => isAgain)).toEqual([false, true, false, false]);
});
