import { describe, expect, test } from 'vitest';
import { authorizeReplay, ResumptionTokenError } from './authorize-replay.js';

const live = { generation: 3, floor: 1041, head: 1099 } as const;

function refusal(act: () => unknown): { reason: string; status: number } {
  try {
    act();
  } catch (cause) {
    if (cause instanceof ResumptionTokenError) return { reason: cause.reason, status: cause.status };
    throw cause;
  }
  throw new Error('was accepted');
}

describe('authorizeReplay', () => {
  test.each([
    { name: 'a cursor inside the log', cursor: 1050, want: { from: 1051n, to: 1099n, count: 49n } },
    { name: 'the head itself owes nothing and is a full success', cursor: 1099, want: { from: 1100n, to: 1099n, count: 0n } },
    {
      name: 'the newest evicted event is whole, since all after it is retained',
      cursor: 1040,
      want: { from: 1041n, to: 1099n, count: 59n },
    },
    { name: 'a position given as text', cursor: '1098', want: { from: 1099n, to: 1099n, count: 1n } },
  ])('accepts $name', ({ cursor, want }) => expect(authorizeReplay(live, 3, cursor)).toEqual(want));

  test('compares generations as text', () => expect(authorizeReplay(live, '3', 1099).count).toBe(0n));

  test('is exact beyond 2^53', () => {
    const huge = { generation: 'g', floor: '9223372036854775800', head: '9223372036854775807' };
    expect(authorizeReplay(huge, 'g', '9223372036854775806').count).toBe(1n);
    expect(refusal(() => authorizeReplay(huge, 'g', '9223372036854775798')).reason).toBe('below_floor');
  });

  test.each([
    { name: 'no session', session: null, generation: 3, cursor: 1050, want: { reason: 'session_unknown', status: 404 } },
    {
      name: 'an evicted session',
      session: { ...live, state: 'evicted' as const },
      generation: 3,
      cursor: 1050,
      want: { reason: 'session_evicted', status: 404 },
    },
    {
      name: 'a superseded session',
      session: { ...live, state: 'superseded' as const },
      generation: 3,
      cursor: 1050,
      want: { reason: 'session_superseded', status: 409 },
    },
    {
      name: 'another generation although the number is in range',
      session: live,
      generation: 2,
      cursor: 1050,
      want: { reason: 'generation_mismatch', status: 409 },
    },
    {
      name: 'a generation that cannot be told',
      session: live,
      generation: null,
      cursor: 1050,
      want: { reason: 'generation_unknown', status: 409 },
    },
    {
      name: 'one position below the successor rule',
      session: live,
      generation: 3,
      cursor: 1039,
      want: { reason: 'below_floor', status: 409 },
    },
    {
      name: 'the newest evicted event under the retained rule',
      session: { ...live, floorRule: 'retained' as const },
      generation: 3,
      cursor: 1040,
      want: { reason: 'below_floor', status: 409 },
    },
    {
      name: 'one position above the head, never clamped',
      session: live,
      generation: 3,
      cursor: 1100,
      want: { reason: 'ahead_of_head', status: 409 },
    },
    { name: 'a text that is no position', session: live, generation: 3, cursor: '07', want: { reason: 'unknown_cursor', status: 409 } },
    {
      name: 'a text that cannot be a cursor',
      session: live,
      generation: 3,
      cursor: '1\n2',
      want: { reason: 'malformed_cursor', status: 400 },
    },
  ])('refuses $name', ({ session, generation, cursor, want }) =>
    expect(refusal(() => authorizeReplay(session, generation, cursor))).toEqual(want),
  );

  test('rejects a session whose floor is above head + 1 as a mistake of the caller', () => {
    expect(() => authorizeReplay({ generation: 1, floor: 7, head: 5 }, 1, 5)).toThrow(TypeError);
  });
});
