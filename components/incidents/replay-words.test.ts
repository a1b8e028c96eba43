import { expect, test } from 'vitest';
import { actualMark, planWords, replayWords } from '@/components/incidents/replay-words';
import type { ReplayedResume } from '@/lib/incidents/replay-schema';

const plan = { sessions: 2, steps: 28, resumes: 1, calls_left_out: 3, recorded_ms: 60_000, targets: [] };

test.each([
  ['the recorded time at its pace', 1, 50, '60 seconds'],
  ['no less than the rate allows', 1_000, 1, '30 seconds'],
  ['minutes where seconds are too many', 0.1, 50, '10 minutes'],
])('a replay takes %s', (_name, speed, rate, words) => {
  expect(planWords(plan, 'http://h/mcp', speed, rate)).toBe(
    `Send 28 steps of 2 sessions, 1 resume among them, to http://h/mcp. This takes about ${words}. 3 calls left out.`,
  );
});

test.each([
  ['resumed', 'refuse', 'unsafe_resume'],
  ['resumed', 'resume', 'resumed'],
  ['refused', 'refuse', 'refused'],
  ['refused', 'resume', 'over_refusal'],
  ['refused', 'resume', 'refused', true],
  ['failed', 'refuse', 'unverifiable'],
  ['resumed', null, 'unverifiable'],
] as const)('%s where the rules say %s is marked %s', (actual, ruled, mark, isRecorded: boolean = false) => {
  const rules: ReplayedResume['rules'] = ruled === null ? null : { verdict: ruled, reason: ruled === 'refuse' ? 'below_floor' : 'ok' };
  const item = { index: 0, recorded: { verdict: 'resumed', status: 200 }, sent: '1', is_recorded_cursor: isRecorded };
  expect(actualMark({ ...item, rules, actual: { verdict: actual, status: null, code: null } })).toBe(mark);
});

test('the sum says what went against the rules, and whether all of it was done', () => {
  const result = { target: 't', resumes: 3, as_recorded: 2, against_rules: 1, is_whole: false, items: [] };
  expect(replayWords({ kind: 'done', result })).toBe('The time ran out. 3 resumes: 2 ended as recorded, 1 resume went against the rules.');
  expect(replayWords({ kind: 'done', result: { ...result, against_rules: 0, is_whole: true } })).toBe(
    '3 resumes: 2 ended as recorded, nothing was resumed that the rules refuse.',
  );
});
