import { expect, test } from 'vitest';
import { fleetSentence, sentenceText } from '@/components/overview/fleet-sentence';
import { FINDING_GROUPS } from '@/lib/audit/finding';
import type { Summary } from '@/lib/wire/responses';

const NOW = Date.UTC(2025, 11, 1, 3, 7);
const MARKS = { unsafe_resume: 0, bad_replay: 0, over_refusal: 0, refused: 0, resumed: 0, fresh: 0, unverifiable: 0 };

const SIGHTED = { at_least: false, blind: [], lost_batches: 0, dropped_records: 0, rejected_records: 0 };
const BLIND = {
  at_least: true,
  blind: [{ from: '2025-12-01T01:02:00Z', to: '2025-12-01T01:09:00Z' }],
  lost_batches: 2,
  dropped_records: 0,
  rejected_records: 0,
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
    servers_known: 12,
    silent: [],
    last_record_at: '2025-12-01T03:06:00Z',
    open_incidents: 0,
    worst_incident: null,
    records_total: 9,
    ...rest,
  };
}

const OPEN = { id: 'i1', since: '2025-12-01T02:14:49Z', last_evidence_at: '2025-12-01T03:05:00Z' };
const loser = (server: string, over: Partial<Summary['losing'][number]> = {}) => ({
  server,
  unsafe: 1,
  sessions: 1,
  events_lost: 9,
  first_unsafe_at: '2025-12-01T02:14:49Z',
  last_unsafe_at: '2025-12-01T03:05:00Z',
  loss_incident: OPEN,
  ...over,
});
const unsafe = { first_unsafe_at: '2025-12-01T02:14:49Z', last_unsafe_at: '2025-12-01T03:05:00Z' };
const said = (value: Summary) => sentenceText(fleetSentence(value, NOW));

test('a server that loses events is named with what it lost, in how many sessions and since when', () => {
  const value = summary({ unsafe_resume: 38 }, { ...unsafe, losing: [loser('payments-mcp')] }, { unsafe_sessions: 31, events_lost: 412 });
  expect(said(value)).toBe('payments-mcp has silently lost 412 events in 31 sessions since 02:14 UTC.');
  expect(fleetSentence(value, NOW).details).toContain('No unsafe resume was seen on the other 11 servers.');
});

test('two losing servers are both named, more are counted', () => {
  const two = { ...unsafe, losing: [loser('a'), loser('b')] };
  const four = { ...unsafe, losing: ['a', 'b', 'c', 'd'].map((name) => loser(name)) };
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

const LOST = { unsafe_sessions: 31, events_lost: 412 };
const oneLoser = (over: Partial<Summary['losing'][number]>) =>
  summary({ unsafe_resume: 38 }, { ...unsafe, losing: [loser('a', over)] }, LOST);

test.each([
  [
    'began before the range: counts are of the range',
    oneLoser({ loss_incident: { ...OPEN, since: '2025-11-30T22:10:00Z' } }),
    'in this range, first at 02:14 UTC.',
  ],
  ['began as the range does', oneLoser({ loss_incident: { ...OPEN, since: '2025-12-01T00:07:00Z' } }), 'since 00:07 UTC.'],
  [
    'was opened again after the first loss of the range',
    oneLoser({ loss_incident: { ...OPEN, since: '2025-12-01T02:30:00Z' } }),
    'in this range, first at 02:14 UTC.',
  ],
  ['has no open incident', oneLoser({ loss_incident: null }), 'in this range, first at 02:14 UTC.'],
])('since when is said where the incident tells it, not where it %s', (_what, value, end) => {
  expect(said(value)).toBe(`a has silently lost 412 events in 31 sessions ${end}`);
});

test('a loss from before the range says since when it goes on', () => {
  expect(fleetSentence(oneLoser({ loss_incident: { ...OPEN, since: '2025-11-30T22:10:00Z' } }), NOW).details.slice(0, 2)).toEqual([
    'Losing since 30 November 22:10 UTC, before this range begins.',
    'Last unsafe resume at 03:05 UTC.',
  ]);
});

test('a loss that is over says until when', () => {
  const over = { last_unsafe_at: '2025-12-01T02:56:59Z', loss_incident: { ...OPEN, last_evidence_at: '2025-12-01T02:56:59Z' } };
  expect(fleetSentence(oneLoser(over), NOW).details[0]).toBe('Lost until 02:56 UTC: no unsafe resume was seen since.');
  expect(fleetSentence({ ...oneLoser(over), to: '2025-12-01T02:56:59Z' }, NOW).details[0]).toBe(
    'Last unsafe resume of this range at 02:56 UTC.',
  );
});

const found = (codes: Record<string, number>, severities: Record<string, number>) => ({
  findings: { total: Object.values(codes).reduce((sum, count) => sum + count, 0), codes, severities },
});

test.each(FINDING_GROUPS.loss)('one finding of %s is a loss, without any unsafe resume', (code) => {
  const value = fleetSentence(summary({ resumed: 9 }, found({ [code]: 1 }, { critical: 1 })), NOW);
  expect(sentenceText(value)).toBe('1 finding of loss since 00:07 UTC, without an unsafe resume.');
  expect([value.mark, value.details[0]]).toEqual(['unsafe_resume', `Proved: 1 ${code}.`]);
});

test('findings of loss are told where no attempt is, and beside unsafe resumes', () => {
  const findings = found({ cursor_lost: 1, stalled_delivery: 4 }, { error: 5 });
  expect(said(summary({}, findings))).toBe('5 findings of loss since 00:07 UTC, without a resume attempt.');
  const losing = { ...unsafe, ...findings, losing: [loser('a')] };
  expect(fleetSentence(summary({ unsafe_resume: 1 }, losing), NOW).details).toContain('The records prove 5 findings of loss.');
});

test('critical findings of another kind keep a fleet from being called well, lesser ones do not', () => {
  const value = fleetSentence(summary({ resumed: 9 }, found({ cross_session_replay: 2 }, { critical: 2 })), NOW);
  expect([value.mark, sentenceText(value), value.details[0]]).toEqual([
    'bad_replay',
    'No unsafe resume since 00:07 UTC.',
    'The records prove 2 critical findings of another kind.',
  ]);
  expect(fleetSentence(summary({ resumed: 9 }, found({ idle_cut: 2 }, { warning: 2 })), NOW).mark).toBe('resumed');
});

test('events that wrong replays left out are lost', () => {
  const value = fleetSentence(summary({ resumed: 9, bad_replay: 1 }, {}, { events_lost: 3 }), NOW);
  expect([value.mark, sentenceText(value)]).toEqual(['bad_replay', 'Wrong replays left out 3 events since 00:07 UTC.']);
});

test('attempts that could not be judged are unknown, never good news', () => {
  expect(said(summary({ unverifiable: 3 }))).toBe('Whether events were lost since 00:07 UTC is not known.');
  const value = fleetSentence(summary({ unverifiable: 10_000, resumed: 1 }), NOW);
  expect([value.mark, sentenceText(value)]).toEqual([
    'unverifiable',
    'No loss seen among the 1 attempt that could be judged since 00:07 UTC.',
  ]);
  expect(value.details).toContain('10,000 attempts could not be judged: unknown, not zero.');
  expect(fleetSentence(summary({ unverifiable: 1, resumed: 10_000 }), NOW).mark).toBe('unverifiable');
  expect(said(summary({ unverifiable: 1, resumed: 2 }, BLIND))).toBe(
    'No loss seen among the 2 attempts that could be judged since 00:07 UTC, but telemetry is missing.',
  );
});

const QUIET = { server: 'ci-mcp', last_seen_at: '2025-12-01T00:02:00Z' };

test.each([
  [9, 9, [], '9 servers seen, 9 safe resumes, 0 rightful refusals.'],
  [8, 9, [QUIET], '8 of 9 servers seen; ci-mcp silent since 00:02 UTC.'],
  [
    6,
    9,
    [QUIET, { ...QUIET, server: 'b' }, { ...QUIET, server: 'c' }],
    '6 of 9 servers seen; ci-mcp silent since 00:02 UTC, b silent since 00:02 UTC, 1 more silent.',
  ],
])('%i of %i servers seen: the silent ones are named, not called well', (servers_seen, servers_known, silent, words) => {
  expect(fleetSentence(summary({ resumed: 9 }, { servers_seen, servers_known, silent }), NOW).details).toContain(words);
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
