import { expect, test } from 'vitest';
import { FLIGHT_RECORDS_MAX, type RouteTelemetry, thinnedSink } from '@/lib/proxy/flight-recorder';
import type { TelemetryRecord } from '@/lib/wire/schema';

const common = (session: string, at: number) => ({ id: `${session} ${at}`, at, node: 'n', server: 's', session });
const emit = (session: string, at: number): TelemetryRecord => ({ ...common(session, at), type: 'emit', event_id: String(at) });
const resume = (session: string, at: number, act: object): TelemetryRecord => ({
  ...{ ...common(session, at), type: 'resume_attempt', last_event_id: '2', cursor: 2, generation: 'g', requested_generation: 'g' },
  ...{ session_state: 'live', floor: 1, head: 4, holes: [], reused: [], verdict: 'resumed', status: 200, ...act },
});
const RIGHT = {};
const REFUSED = { verdict: 'refused', status: 409 };
const UNSAFE = { floor: 4 };

function told(how: RouteTelemetry, batches: readonly TelemetryRecord[][], sampled: readonly string[] = []): string[] {
  const out: TelemetryRecord[] = [];
  const sink = thinnedSink((records) => out.push(...records), {
    of: () => how,
    isSampled: (_server, session) => sampled.includes(session),
  });
  for (const batch of batches) sink(batch);
  return out.map(({ id }) => String(id));
}

test.each([
  ['a right resume is told alone', RIGHT, ['a 3']],
  ['a refusal tells its session whole, then all that follows', REFUSED, ['a 1', 'a 2', 'a 3', 'a 4']],
  ['so does a resume against the rules', UNSAFE, ['a 1', 'a 2', 'a 3', 'a 4']],
])('flight: %s', (_what, act, expected) => {
  expect(
    told('flight', [
      [emit('a', 1), emit('b', 1)],
      [emit('a', 2), resume('a', 3, act)],
      [emit('a', 4), emit('b', 4)],
    ]),
  ).toEqual(expected);
});

test('flight: what is held of a session is bounded, the newest stay', () => {
  const many = Array.from({ length: FLIGHT_RECORDS_MAX + 10 }, (_, i) => emit('a', i));
  const ids = told('flight', [many, [resume('a', 9999, REFUSED)]]);
  expect([ids.length, ids[0], ids.at(-1)]).toEqual([FLIGHT_RECORDS_MAX + 1, 'a 10', 'a 9999']);
});

test('sampled: a share of sessions is told whole, of the others only the attempts; what belongs to no session always', () => {
  const boot: TelemetryRecord = { id: 'boot', at: 0, node: 'n', server: 's', type: 'boot' };
  expect(told('sampled', [[boot, emit('a', 1), emit('b', 1), resume('a', 2, RIGHT), resume('b', 2, RIGHT)]], ['a'])).toEqual([
    'boot',
    'a 1',
    'a 2',
    'b 2',
  ]);
});
