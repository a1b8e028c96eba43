import { expect, test } from 'vitest';
import { barsOf } from '@/components/overview/attempts-over-time';
import { blindRuns, blindWords } from '@/components/overview/blind-time';

const FROM = Date.UTC(2025, 11, 1, 0, 0);
const MINUTE = 60_000;
const iso = (minute: number): string => new Date(FROM + minute * MINUTE).toISOString();
const stretch = (from: number, to: number) => ({ from: iso(from), to: iso(to) });
const bars = barsOf({
  from: iso(0),
  to: iso(6),
  step_s: 60,
  by: 'mark',
  at_least: false,
  blind: [],
  lost_batches: 0,
  dropped_records: 0,
  rejected_records: 0,
  keys: [],
  points: Array.from({ length: 6 }, (_, minute) => ({ at: iso(minute), counts: {}, events_lost: 0, resume_unavailable: 0 })),
});
const runs = (...blind: { from: string; to: string }[]) =>
  blindRuns(bars, MINUTE, blind).map(({ firstAt, lastAt }) => [(firstAt - FROM) / MINUTE, (lastAt - FROM) / MINUTE]);

test.each([
  { name: 'a stretch within one bar hatches it', blind: [stretch(1.2, 1.4)], want: [[1, 1]] },
  { name: 'a stretch without width hatches the bar that holds it', blind: [stretch(2, 2)], want: [[2, 2]] },
  { name: 'a stretch over several bars hatches all of them', blind: [stretch(1.9, 3.1)], want: [[1, 3]] },
  { name: 'stretches in neighbouring bars are one run', blind: [stretch(1.1, 1.2), stretch(2.5, 2.6)], want: [[1, 2]] },
  {
    name: 'stretches apart are told apart',
    blind: [stretch(0.1, 0.2), stretch(4.5, 4.6)],
    want: [
      [0, 0],
      [4, 4],
    ],
  },
  { name: 'nothing known to be missing hatches nothing', blind: [], want: [] },
])('$name', ({ blind, want }) => expect(runs(...blind)).toEqual(want));

test('what is missing is said with how much of it and when', () => {
  const now = FROM + 60 * MINUTE;
  expect(blindWords({ at_least: false, blind: [], lost_batches: 0, dropped_records: 0, rejected_records: 0 }, now)).toBe(null);
  expect(blindWords({ at_least: true, blind: [stretch(2, 9)], lost_batches: 3, dropped_records: 1, rejected_records: 0 }, now)).toBe(
    '3 batches of telemetry never arrived and 1 record was dropped by their senders, from 00:02 UTC to 00:09 UTC (7 min blind): every count is at least what it says.',
  );
  expect(
    blindWords({ at_least: true, blind: [stretch(2, 2.1), stretch(9, 9)], lost_batches: 0, dropped_records: 12, rejected_records: 0 }, now),
  ).toContain('12 records were dropped by their senders, from 00:02 UTC to 00:09 UTC in 2 stretches');
  expect(blindWords({ at_least: true, blind: [stretch(2, 9)], lost_batches: 0, dropped_records: 5, rejected_records: 3 }, now)).toContain(
    '2 records were dropped by their senders and 3 records were rejected by the intake',
  );
});
