import { expect, test } from 'vitest';
import { byTrouble, keepsTooLittle, troubleWords, worstMark } from '@/components/overview/server-trouble';
import type { ServerItem } from '@/lib/wire/responses';

const NOW = Date.UTC(2025, 11, 1, 3, 7);
const NONE = { unsafe_resume: 0, bad_replay: 0, over_refusal: 0, refused: 0, resumed: 0, fresh: 0, unverifiable: 0 };

function server(name: string, marks: Partial<typeof NONE>, rest: Partial<ServerItem> = {}): ServerItem {
  return {
    server: name,
    attempts: 1,
    sessions: 1,
    nodes: 1,
    marks: { ...NONE, ...marks },
    resume_unavailable: 0,
    events_lost: 0,
    findings: 0,
    loss_findings: 0,
    first_unsafe_at: null,
    last_unsafe_at: null,
    loss_incident: null,
    at_least: false,
    last_seen_at: '2025-12-01T03:00:00Z',
    lead_min: null,
    kept_max: null,
    needed_max: null,
    ...rest,
  };
}

test.each([
  [{ bad_replay: 2, resumed: 5_000 }, 'bad_replay', '2 wrong replays'],
  [{ over_refusal: 1, resumed: 9 }, 'over_refusal', 'Refuses cursors it could serve'],
  [{ unverifiable: 12 }, 'unverifiable', '12 attempts unverifiable'],
  [{ unverifiable: 1, resumed: 9_000 }, 'unverifiable', 'No loss seen, 1 attempt unverifiable'],
  [{ refused: 9 }, 'resumed', 'Well'],
  [{ fresh: 9 }, 'fresh', 'No cursor presented'],
])('%j is marked %s and reads "%s"', (marks, mark, words) => {
  const one = server('a', marks);
  expect([worstMark(one), troubleWords(one, NOW)]).toEqual([mark, words]);
});

test.each([
  [{ refused: 9 }, 'unverifiable', 'No loss seen, but telemetry is missing'],
  [{ fresh: 9 }, 'unverifiable', 'Telemetry is missing'],
  [{ unverifiable: 2, resumed: 9 }, 'unverifiable', 'No loss seen, 2 attempts unverifiable, telemetry is missing'],
  [{ over_refusal: 1 }, 'over_refusal', 'Refuses cursors it could serve'],
])('with telemetry known to be missing %j is marked %s and reads "%s"', (marks, mark, words) => {
  const one = server('a', marks, { at_least: true });
  expect([worstMark(one), troubleWords(one, NOW)]).toEqual([mark, words]);
});

test('a loss that only the records prove is no less a loss', () => {
  const one = server('a', { resumed: 9 }, { findings: 3, loss_findings: 2 });
  expect([worstMark(one), troubleWords(one, NOW)]).toEqual(['unsafe_resume', '2 findings of loss']);
});

const incident = (since: string, last_evidence_at: string) => ({ id: 'i1', since, last_evidence_at });

test.each([
  [
    'its open incident tells since when, also from before the range',
    '03:05:00',
    incident('2025-11-30T22:10:00Z', '2025-12-01T03:05:00Z'),
    'Losing since 30 November 22:10 UTC',
  ],
  ['without one only the range is known', '03:05:00', null, 'Losing, in this range first at 02:14 UTC'],
  [
    'ten minutes after its last loss it still loses',
    '02:57:00',
    incident('2025-12-01T02:14:49Z', '2025-12-01T02:57:00Z'),
    'Losing since 02:14 UTC',
  ],
  ['a moment later it lost', '02:56:59', incident('2025-12-01T02:14:49Z', '2025-12-01T02:56:59Z'), 'Lost until 02:56 UTC'],
  [
    'what the range ends before is told by the incident',
    '02:20:00',
    incident('2025-12-01T02:14:49Z', '2025-12-01T03:06:00Z'),
    'Losing since 02:14 UTC',
  ],
])('a server that loses says when: %s', (_what, last, loss_incident, words) => {
  const times = { first_unsafe_at: '2025-12-01T02:14:49Z', last_unsafe_at: `2025-12-01T${last}Z`, loss_incident };
  const one = server('a', { unsafe_resume: 1, resumed: 5_000 }, times);
  expect([worstMark(one), troubleWords(one, NOW)]).toEqual(['unsafe_resume', words]);
});

test('the server with the worst fault stands first, whatever its size', () => {
  const servers = [
    server('well', { resumed: 9_000 }),
    server('few', { unsafe_resume: 1 }),
    server('many', { unsafe_resume: 9 }),
    server('bad', { bad_replay: 99 }),
  ];
  expect(byTrouble(servers).map((one) => one.server)).toEqual(['many', 'few', 'bad', 'well']);
});

test.each([
  [37, 148, true],
  [148, 148, false],
  ['9223372036854775807', 1, false],
  [null, 148, false],
])('keeping %s where %s are needed is too little: %s', (kept_max, needed_max, isTooLittle) => {
  expect(keepsTooLittle(server('a', {}, { kept_max, needed_max }))).toBe(isTooLittle);
});
