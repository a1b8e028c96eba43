import { expect, test } from 'vitest';
import { afterRefusals, type BegunSession, SEQUEL_MS, type SeenRefusal, type Telling } from '@/lib/replay/after-refusal';

const T = 1_000_000;
const TOLD: Telling = { ofEverySession: true, fromMs: 0, toMs: T + SEQUEL_MS };

const refusal = (members: Partial<SeenRefusal> = {}): SeenRefusal => ({
  atMs: T,
  client: 'agent/1',
  principal: null,
  refused: '7',
  next: [],
  isHeardLater: false,
  ...members,
});
const session = (members: Partial<BegunSession> = {}): BegunSession => ({
  atMs: T + 1_000,
  client: 'agent/1',
  principal: null,
  ...members,
});
const sequel = (members: Partial<SeenRefusal>, begun: readonly BegunSession[] = [], telling: Telling = TOLD) =>
  afterRefusals([refusal(members)], begun, telling)[0];

test.each([
  [['7', '7', '7'], 'looped'],
  [['7', '7'], 'retried'],
  [['7', '7', '8'], 'retried'],
  [['8', '7', '7'], 'other_cursor'],
  [[null], 'dropped_cursor'],
] as const)('what it presented next in its session comes first: %j is %s', (next, expected) => {
  expect(sequel({ next, isHeardLater: true }, [session()])).toBe(expected);
});

test.each<[string, BegunSession, string]>([
  ['by the same name', session(), 'reinitialized'],
  ['by the same credential', session({ client: null, principal: 'p' }), 'reinitialized'],
  ['at the end of the wait', session({ atMs: T + SEQUEL_MS }), 'reinitialized'],
  ['a millisecond after the wait', session({ atMs: T + SEQUEL_MS + 1 }), 'hung'],
  ['before the refusal', session({ atMs: T - 1 }), 'hung'],
  ['by another name', session({ client: 'other/1' }), 'hung'],
  ['by another version', session({ client: 'agent/2' }), 'hung'],
  ['by the same name with another credential', session({ principal: 'q' }), 'hung'],
  ['by nobody who is named', session({ client: null }), 'unknown'],
])('a session that began %s', (_, begun, expected) => {
  expect(sequel({ principal: 'p' }, [begun])).toBe(expected);
});

test('a session is what one refused client began: the one that was refused last', () => {
  const earlier = refusal();
  const later = refusal({ atMs: T + 500 });
  const told = { ...TOLD, toMs: T + 2 * SEQUEL_MS };
  expect(afterRefusals([later, earlier], [session()], told)).toEqual(['reinitialized', 'hung']);
  expect(afterRefusals([later, earlier], [session(), session({ atMs: T + 2_000 })], told)).toEqual(['reinitialized', 'reinitialized']);
});

test('whoever goes on in the session neither hangs nor is unknown', () => {
  expect(sequel({ isHeardLater: true })).toBe('went_on');
  expect(sequel({ isHeardLater: true }, [session()])).toBe('reinitialized');
});

test.each<[string, Partial<Telling>, string]>([
  ['all of the wait is told', {}, 'hung'],
  ['the wait is not over', { toMs: T + SEQUEL_MS - 1 }, 'unknown'],
  ['what began is known only from later on', { fromMs: T + 1 }, 'unknown'],
  ['only sessions that went wrong are told', { ofEverySession: false }, 'unknown'],
])('silence where %s', (_, part, expected) => {
  expect(sequel({}, [], { ...TOLD, ...part })).toBe(expected);
});
