import { expect, test } from 'vitest';
import { ApiFailure, failureOf, isWorthRetrying } from '@/components/api/api-failure';
import { failureWords } from '@/components/states/failure-words';

const AT = Date.UTC(2025, 11, 1, 3, 5);

test('a failed read says what happened, what is shown and what to do', () => {
  const cause = failureOf(503, { error: { code: 'database_down', message: 'The database is down.', next_step: 'Start it again.' } });
  expect(failureWords('The summary', cause, AT, AT + 120_000)).toEqual({
    happened: 'The summary could not be read. The database is down.',
    shown: 'Showing data of 03:05:00 UTC, 2 min old.',
    nextStep: 'Start it again.',
  });
});

test('without data nothing is claimed to be shown', () => {
  const words = failureWords('The summary', new ApiFailure('unreachable', 'The server could not be reached.', null), 0, AT);
  expect(words.shown).toBeNull();
  expect(words.nextStep).toContain('Check that Tidemark runs');
});

test.each([null, 'text', {}, { error: 'no' }, { error: { code: 1, message: 'x' } }])(
  'an error answer of %j is still a coded failure',
  (body) => {
    expect(failureOf(502, body)).toMatchObject({ code: 'unreadable', status: 502 });
  },
);

test.each([
  [new ApiFailure('bad_request', 'x', 400), false],
  [new ApiFailure('not_found', 'x', 404), false],
  [new ApiFailure('database_down', 'x', 503), true],
  [new ApiFailure('unreachable', 'x', null), true],
  [new Error('x'), true],
])('%s is tried again: %s', (cause, isRetried) => {
  expect(isWorthRetrying(cause)).toBe(isRetried);
});
