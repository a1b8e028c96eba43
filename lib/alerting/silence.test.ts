import { expect, test } from 'vitest';
import { inhibitor, matches, type Silence, silencedBy } from '@/lib/alerting/silence';

test.each([
  { op: '=', value: 'a', label: 'a', want: true },
  { op: '=', value: 'a', label: 'ab', want: false },
  { op: '!=', value: 'a', label: 'b', want: true },
  { op: '~', value: 'pay*', label: 'payments', want: true },
  { op: '~', value: '*-prod', label: 'pay-prod', want: true },
  { op: '~', value: 'a*a', label: 'a', want: false },
  { op: '~', value: 'a*b*c', label: 'axxbyyc', want: true },
  { op: '~', value: 'a*b*b', label: 'ab', want: false },
  { op: '~', value: 'a.c', label: 'abc', want: false },
  { op: '!~', value: 'pay*', label: 'payments', want: false },
  { op: '~', value: '*', label: '', want: true },
] as const)('$label $op $value is $want', ({ op, value, label, want }) => {
  expect(matches([{ name: 'server', op, value }], { server: label })).toBe(want);
});

test('a missing label is empty text, and no matcher matches nothing', () => {
  expect(matches([{ name: 'node', op: '=', value: '' }], {})).toBe(true);
  expect(matches([], { server: 'a' })).toBe(false);
});

test('a silence holds from its start until just before its end', () => {
  const silence: Silence = {
    id: '1',
    matchers: [{ name: 'server', op: '=', value: 'a' }],
    startsAtMs: 10,
    endsAtMs: 20,
    comment: '',
    author: '',
  };
  expect([9, 10, 19, 20].map((now) => silencedBy([silence], { server: 'a' }, now)?.id ?? null)).toEqual([null, '1', '1', null]);
});

test('a cause keeps its symptom quiet on the same server only, and never itself', () => {
  const inhibitions = [
    { source: [{ name: 'alertname', op: '=', value: 'cause' }], target: [{ name: 'alertname', op: '~', value: '*' }], equal: ['server'] },
  ] as const;
  const isQuiet = inhibitor(inhibitions, [{ alertname: 'cause', server: 'a' }]);
  expect(isQuiet({ alertname: 'symptom', server: 'a' })).toBe(true);
  expect(isQuiet({ alertname: 'symptom', server: 'b' })).toBe(false);
  expect(isQuiet({ alertname: 'cause', server: 'a' })).toBe(false);
});
