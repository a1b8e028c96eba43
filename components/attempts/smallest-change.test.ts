import { expect, test } from 'vitest';
import type { Attempt } from '@/components/api/attempt';
import { smallestChangeOf } from '@/components/attempts/smallest-change';

const attempt = (members: Partial<Attempt>) =>
  ({
    type: 'resume_attempt',
    mark: 'refused',
    assessment: 'correct',
    session_state: 'live',
    generation: 1,
    requested_generation: 1,
    last_event_id: '1',
    cursor: 1,
    floor: 10,
    head: 20,
    verdict: 'refused',
    status: 409,
    ...members,
  }) as Attempt;

test('a cursor below the floor would do with a lower floor, whether it was refused or served', () => {
  const change = { fact: 'floor', from: '10', to: '2' };
  expect(smallestChangeOf(attempt({}))).toMatchObject(change);
  expect(smallestChangeOf(attempt({ mark: 'unsafe_resume', assessment: 'unsafe_resume' }))).toMatchObject(change);
});

test('a refusal without need, or with another status, would do with the status that is due', () => {
  expect(smallestChangeOf(attempt({ mark: 'over_refusal', assessment: 'over_refusal' }))).toMatchObject({
    fact: 'status',
    from: '409',
    to: '200',
  });
  const decision = { status: 409 } as Attempt['decision'];
  const wrong = attempt({ assessment: 'wrong_status', status: 400, decision });
  expect(smallestChangeOf(wrong)).toMatchObject({ fact: 'status', from: '400', to: '409' });
});

test.each(['resumed', 'fresh', 'unverifiable', 'bad_replay'] as const)('an attempt that is %s needs no other fact', (mark) => {
  expect(smallestChangeOf(attempt({ mark }))).toBeNull();
});
