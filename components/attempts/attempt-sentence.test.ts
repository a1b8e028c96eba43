import { expect, test } from 'vitest';
import type { Attempt } from '@/components/api/attempt';
import { attemptSentence, gapCount, sentenceOf } from '@/components/attempts/attempt-sentence';
import { nextStep } from '@/components/attempts/next-step';
import { MARKS } from '@/lib/resume/mark';

type Decision = NonNullable<Attempt['decision']>;

const decision = (reason: Decision['reason'], rest: Partial<Decision> = {}): Decision => ({
  verdict: 'refuse',
  reason,
  status: 409,
  replay: null,
  gap: null,
  earliest_retained: null,
  earliest_resumable_cursor: null,
  next_step: 'reinitialize',
  ...rest,
});

function attempt(rest: Partial<Attempt>): Attempt {
  return {
    id: 'a',
    at: '2025-12-01T02:14:49.318Z',
    received_at: '2025-12-01T02:14:49.400Z',
    server: 'payments-mcp',
    session: 'ref',
    session_label: '7f3a',
    decision: null,
    assessment: 'correct',
    mark: 'resumed',
    judged_by: 'record',
    missing: [],
    type: 'resume_attempt',
    verdict: 'resumed',
    ...rest,
  };
}

const S02C = attempt({
  mark: 'unsafe_resume',
  assessment: 'unsafe_resume',
  last_event_id: 'E_1042',
  cursor: 1042,
  replayed: { count: 24, first: 'E_1052', last: 'E_1075' },
  decision: decision('hole', { gap: { ranges: [[1043, 1051]], count: 9 } }),
});

test('a silent loss says what was replayed, what the client had and what was never sent', () => {
  expect(sentenceOf(S02C)).toBe('The server replayed E_1052 to E_1075. The client had E_1042. 1043 to 1051 (9 events) were never sent.');
  expect(attemptSentence(S02C).filter((phrase) => phrase.isLoss)).toEqual([{ text: '9 events', isLoss: true }]);
  expect(gapCount(S02C)).toBe(9);
});

test('ids that are numbered apart from positions are named apart', () => {
  const apart = attempt({
    ...S02C,
    last_event_id: '9',
    cursor: 2,
    replayed: { count: 6, first: '26', last: '31' },
    decision: decision('below_floor', { gap: { ranges: [[3, 18]], count: 16 } }),
  });
  expect(sentenceOf(apart)).toBe(
    'The server replayed 6 events (ids 26 to 31). The client had 9, at position 2. Positions 3 to 18 (16 events) were never sent.',
  );
});

test('places that only the history knows are named as places, not as ids', () => {
  const judged = attempt({
    mark: 'unsafe_resume',
    judged_by: 'history',
    last_event_id: 'e1',
    replayed: { count: 1, first: 'e3', last: 'e3' },
    decision: decision('hole', { gap: { ranges: [[1, 1]], count: 1 } }),
  });
  expect(sentenceOf(judged)).toBe(
    'The server replayed 1 event (ids e3). The client had e1, at position 0. Position 1 (1 event) was never sent.',
  );
});

test.each([
  ['generation_mismatch', 'The cursor is of generation 1, the live one is 2: another history under the same numbers.'],
  ['ahead_of_head', 'The cursor is above head 1099: it was never issued in this generation.'],
  ['session_evicted', 'The session was evicted.'],
] as const)('an unsafe resume for %s without a countable gap names the reason', (reason, words) => {
  const value = attempt({
    mark: 'unsafe_resume',
    last_event_id: '1040',
    requested_generation: 1,
    generation: 2,
    head: 1099,
    session_state: 'evicted',
    replayed: { count: 59, first: '1041', last: '1099' },
    decision: decision(reason),
  });
  expect(sentenceOf(value)).toBe(`The server replayed 1041 to 1099 for cursor 1040. ${words} The rules refuse that.`);
});

test('an over-refusal says what was retained', () => {
  const value = attempt({
    mark: 'over_refusal',
    cursor: 88,
    decision: decision('ok', { verdict: 'resume', replay: { from: 89, to: 140, count: 52 } }),
  });
  expect(sentenceOf(value)).toBe('The server refused cursor 88 though all of 89 to 140 was retained (over-refusal).');
});

test('a rightful refusal says why, how much is gone, and the right status when it sent another', () => {
  const refused = {
    mark: 'refused',
    cursor: 1042,
    floor: 1052,
    decision: decision('below_floor', { gap: { ranges: [[1043, 1051]], count: 9 } }),
  } as const;
  expect(sentenceOf(attempt(refused))).toBe(
    'The server refused cursor 1042, rightly: it is below the floor 1052 by more than one. 9 events are gone. Nothing was lost in silence.',
  );
  expect(sentenceOf(attempt({ ...refused, assessment: 'wrong_status', status: 404 }))).toContain(
    'It answered 404; 409 tells the client the truth.',
  );
});

test('a resume with nothing to replay is a full success', () => {
  const value = attempt({ cursor: 1075, decision: decision('ok', { verdict: 'resume', replay: { from: 1076, to: 1075, count: 0 } }) });
  expect(sentenceOf(value)).toBe('The client had everything up to 1075. Nothing had to be replayed.');
});

test('what could not be judged names the facts that are missing', () => {
  expect(sentenceOf(attempt({ mark: 'unverifiable', missing: ['head', 'floor'] }))).toBe(
    'Whether events were lost is not known. Not reported: head, floor.',
  );
});

test.each(MARKS)('an attempt marked %s has a sentence and a next step even when hardly anything was reported', (mark) => {
  const value = attempt({ mark });
  for (const text of [sentenceOf(value), nextStep(value)]) expect(text).toMatch(/^[A-Z].*\.$/);
  expect(sentenceOf(value) + nextStep(value)).not.toMatch(/undefined|null/);
});
