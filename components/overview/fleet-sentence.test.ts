import { expect, test } from 'vitest';
import { fleetSentence, sentenceText } from '@/components/overview/fleet-sentence';
import type { Summary } from '@/lib/wire/responses';

const NOW = Date.UTC(2025, 11, 1, 3, 7);
const MARKS = { unsafe_resume: 0, bad_replay: 0, over_refusal: 0, refused: 0, resumed: 0, fresh: 0, unverifiable: 0 };

const SIGHTED = { at_least: false, blind: [], lost_batches: 0, dropped_records: 0 };
const BLIND = {
  at_least: true,
  blind: [{ from: '2025-12-01T01:02:00Z', to: '2025-12-01T01:09:00Z' }],
  lost_batches: 2,
  dropped_records: 0,
};

function summary(marks: Partial<typeof MARKS>, rest: Partial<Summary> = {}, totals: Partial<Summary['totals']> = {}): Summary {
  const all = { ...MARKS, ...marks };
  const attempts = Object.values(all).reduce((sum, count) => sum + count, 0);
  const assessments = { correct: 0, unsafe_resume: 0, bad_replay: 0, over_refusal: 0, wrong_status: 0, not_applicable: 0, unverifiable: 0 };
  const whole = {
    attempts,
    sessions: attempts,
    marks: all,
    assessments,
    resume_unavailable: 0,
    unsafe_sessions: 0,
    events_lost: 0,
    events_lost_at_least: false,
    ...totals,
  };
  return {
    from: '2025-12-01T00:07:00Z',
    to: '2025-12-01T03:07:00Z',
    ...SIGHTED,
    totals: whole,
    previous: { ...whole, from: '2025-11-30T21:07:00Z', to: '2025-12-01T00:07:00Z' },
    first_unsafe_at: null,
    last_unsafe_at: null,
    losing: [],
    gap_sizes: [],
    leads: { below: 0, sizes: [] },
    findings: { total: 0, codes: {}, severities: {} },
    servers_seen: 12,
    last_record_at: '2025-12-01T03:06:00Z',
    open_incidents: 0,
    records_total: 9,
    ...rest,
  };
}

const loser = (server: string) => ({
  server,
  unsafe: 1,
  sessions: 1,
  events_lost: 9,
  first_unsafe_at: '2025-12-01T02:14:49Z',
  last_unsafe_at: '2025-12-01T03:05:00Z',
});
const unsafe = { first_unsafe_at: '2025-12-01T02:14:49Z', last_unsafe_at: '2025-12-01T03:05:00Z' };
const said = (value: Summary) => sentenceText(fleetSentence(value, NOW));

test('a server that loses events is named with what it lost, in how many sessions and since when', () => {
  const value = summary({ unsafe_resume: 38 }, { ...unsafe, losing: [loser('payments-mcp')] }, { unsafe_sessions: 31, events_lost: 412 });
  expect(said(value)).toBe('payments-mcp has silently lost 412 events in 31 sessions since 02:14 UTC.');
  expect(fleetSentence(value, NOW).details).toContain('The other 11 servers lose nothing that we can see.');
});

test('two losing servers are both named, more are counted', () => {
  const two = { ...unsafe, losing: [loser('a'), loser('b')] };
  const four = { ...unsafe, losing: ['a', 'b', 'c', 'd'].map(loser) };
  const lost = { unsafe_sessions: 1, events_lost: 1 };
  expect(said(summary({ unsafe_resume: 2 }, two, lost))).toMatch(/^a and b have silently lost 1 event in 1 session since/);
  expect(said(summary({ unsafe_resume: 4 }, four, lost))).toMatch(/^a, b and 2 more have/);
});

test('a loss that is only a lower bound says so', () => {
  const value = summary(
    { unsafe_resume: 2 },
    { ...unsafe, losing: [loser('a')] },
    { unsafe_sessions: 2, events_lost: 9, events_lost_at_least: true },
  );
  expect(said(value)).toContain('lost at least 9 events');
});

test('an unsafe resume without a countable gap is never told as zero events', () => {
  const value = summary({ unsafe_resume: 2 }, { ...unsafe, losing: [loser('a')] }, { unsafe_sessions: 1, events_lost_at_least: true });
  expect(said(value)).toBe('a has resumed 2 cursors that had to be refused, in 1 session since 02:14 UTC.');
});

test('a fleet that is well says since when, and how much of it was seen', () => {
  const value = fleetSentence(summary({ resumed: 5855, refused: 202 }), NOW);
  expect(sentenceText(value)).toBe('No event lost in silence since 00:07 UTC.');
  expect(value.details).toEqual(['12 servers seen, 5,855 safe resumes, 202 rightful refusals.']);
  expect(value.mark).toBe('resumed');
});

test('wrong replays and refusals are not called well', () => {
  const value = fleetSentence(summary({ resumed: 9, bad_replay: 1, over_refusal: 2 }), NOW);
  expect(sentenceText(value)).toBe('No unsafe resume since 00:07 UTC.');
  expect(value.mark).toBe('bad_replay');
  expect(value.details.slice(0, 2)).toEqual(['1 replay was not what was due.', '2 cursors were refused that could have resumed.']);
});

test('attempts that could not be judged are unknown, never good news', () => {
  expect(said(summary({ unverifiable: 3 }))).toBe('Whether events were lost since 00:07 UTC is not known.');
  expect(fleetSentence(summary({ unverifiable: 3, resumed: 1 }), NOW).details).toContain(
    '3 attempts could not be judged: unknown, not zero.',
  );
});

test('a range without attempts says what the newest record is', () => {
  const value = fleetSentence(summary({}), NOW);
  expect(sentenceText(value)).toBe('No resume attempt from 00:07 UTC to 03:07 UTC.');
  expect(value.details).toEqual(['The newest record is of 03:06 UTC. Widen the range to see it.']);
});

test('a fleet of which telemetry is missing is never called well, and the sentence says when it was not seen', () => {
  const value = fleetSentence(summary({ resumed: 9 }, BLIND), NOW);
  expect(sentenceText(value)).toBe('No unsafe resume seen since 00:07 UTC, but telemetry is missing.');
  expect(value.mark).toBe('unverifiable');
  expect(value.details[0]).toMatch(/^2 batches of telemetry never arrived, from 01:02 UTC to 01:09 UTC/);
});

test('what was counted while telemetry is missing is at least that', () => {
  const value = summary({ unsafe_resume: 2 }, { ...unsafe, ...BLIND, losing: [loser('a')] }, { unsafe_sessions: 1 });
  expect(said(value)).toBe('a has resumed at least 2 cursors that had to be refused, in 1 session since 02:14 UTC.');
  expect(fleetSentence(summary({}, BLIND), NOW).details[0]).toMatch(/never arrived/);
});
