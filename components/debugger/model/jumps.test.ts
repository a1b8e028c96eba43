import { expect, test } from 'vitest';
import { jumpTargets, lastSafeBefore, nextTarget } from '@/components/debugger/model/jumps';
import { S01_RECORDS, S02_RECORDS, seen } from '@/tests/debugger/sample-history';

const s01 = seen(S01_RECORDS);
const s02 = seen(S02_RECORDS);
const attemptsIn = (records: typeof S01_RECORDS) => records.flatMap(({ type }, index) => (type === 'resume_attempt' ? [index] : []));

test('refusals are the attempts that were refused or had to be, generations the records that begin another numbering', () => {
  const targets = jumpTargets(s01.steps, s01.marks, [3, 3, 1]);
  expect(targets.refusals).toEqual(attemptsIn(S01_RECORDS));
  expect(targets.findings).toEqual([1, 3]);
  expect(targets.generations.map((index) => S01_RECORDS[index]?.type)).toEqual(['boot']);
});

test.each([
  [[2, 5, 9], 0, 1, 2],
  [[2, 5, 9], 2, 1, 5],
  [[2, 5, 9], 9, 1, null],
  [[2, 5, 9], 9, -1, 5],
  [[2, 5, 9], 4, -1, 2],
  [[2, 5, 9], 2, -1, null],
  [[], 4, 1, null],
] as const)('of %j, from %d by %d leads to %j', (targets, index, by, next) => {
  expect(nextTarget(targets, index, by)).toBe(next);
});

test('the loss of S02 was the eviction: until the record before it, cursor 1042 was safe', () => {
  const [attempt = -1] = attemptsIn(S02_RECORDS);
  const safe = lastSafeBefore(s02.steps, s02.plotted, attempt);
  expect(safe?.cursor).toBe(1042n);
  expect(S02_RECORDS[safe?.endedBy ?? -1]?.type).toBe('evict');
  expect(safe?.index).toBe((safe?.endedBy ?? 0) - 1);
  expect(lastSafeBefore(s02.steps, s02.plotted, S02_RECORDS.length - 1)).toEqual(safe);
  expect(lastSafeBefore(s02.steps, s02.plotted, 0)).toEqual(safe);
});

test('the loss of S01 was the boot: under the former generation cursor 1040 was safe', () => {
  const [attempt = -1] = attemptsIn(S01_RECORDS);
  expect(S01_RECORDS[lastSafeBefore(s01.steps, s01.plotted, attempt)?.endedBy ?? -1]?.type).toBe('boot');
});

test('a cursor that is still safe, and a history without an attempt, lead nowhere', () => {
  const emissions = S02_RECORDS.filter(({ type }) => type === 'emit' || type === 'session');
  expect(lastSafeBefore(seen(emissions).steps, new Map(), 3)).toBeNull();
  const whole = seen(
    S02_RECORDS.filter(({ type }) => type !== 'evict').map((record) =>
      record.type === 'resume_attempt' ? { ...record, holes: [] } : record,
    ),
  );
  expect(lastSafeBefore(whole.steps, whole.plotted, whole.steps.length)).toBeNull();
});
