import { expect, test } from 'vitest';
import { CLIENTS, experiment } from '@/tests/proxy/refusal-experiment';

/** What docs/proxy.md says of the real clients, held against them on every change. */
const NAMES = Object.keys(CLIENTS);

test.each(NAMES.flatMap((name) => (['terminal_error', 'auto'] as const).map((style) => [name, style] as const)))(
  '%s, %s: the terminal error rejects the pending call with its reason, and the session goes on',
  async (name, style) => {
    expect(await experiment(name, style, 20_000)).toMatchObject({
      code: -32010,
      reason: 'below_floor',
      isNextServed: true,
      newSessions: 0,
    });
  },
);

test.each(NAMES)('%s: a bare status leaves the call to its own time limit, and no client starts a new session', async (name) => {
  expect(await experiment(name, 'status', 1500)).toMatchObject({ reason: null, newSessions: 0, isNextServed: true });
});
